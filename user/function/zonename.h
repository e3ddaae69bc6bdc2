/*
 * zonename: the readable spellings of what a linker calls a function.
 */
#ifndef FUNCTION_ZONENAME_H
#define FUNCTION_ZONENAME_H

/* Without the parameter list (for C the same as @linkage), and with it, NULL where there is none.
 * The endings of a compiler's copies and parts are kept: "ns::f [clone .part.0]". Both the caller's
 * to free. Parses a stranger's string: for processes that may die of it. */
void zonename_spell(const char *linkage, char **name, char **full);

#endif
