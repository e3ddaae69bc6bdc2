/*
 * demangle: C++, Rust and D names as people write them, without parameter lists, templates kept.
 * libiberty parses a stranger's string here: for processes that may die of it.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

/* The readable name, the caller's to free; NULL where @linkage is no mangled name or too long. */
char *demangle(const char *linkage);
/* The same with the parameter list, where C++ or D has one. */
char *demangle_full(const char *linkage);

#endif
