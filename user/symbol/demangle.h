/*
 * demangle: C++, Rust and D names as people write them, without parameter lists, with template
 * arguments. libiberty parses untrusted strings here: only for processes that may crash.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

/* The readable name, for the caller to free; NULL: @linkage is not mangled, or too long. */
char *demangle(const char *linkage);
/* The same with the parameter list, where C++ or D has one. */
char *demangle_full(const char *linkage);

#endif
