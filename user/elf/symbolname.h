/*
 * symbolname: takes apart the names in symbol tables: symbol versions, PLT stubs, copies that a
 * compiler made of functions. Looks only at the text: safe in any process.
 */
#ifndef ELF_SYMBOLNAME_H
#define ELF_SYMBOLNAME_H

#include <stdbool.h>
#include <stddef.h>

/* The suffix that a stub's name gets. */
#define SYMBOLNAME_STUB "@plt"

/* The length of @text without its version: of "memcpy@@GLIBC_2.14" that of "memcpy"; "memcpy@plt"
 * has none. */
size_t symbolname_bytes(const char *text);
/* Whether that is one of the @n @names. */
bool symbolname_is_one_of(const char *text, const char *const *names, size_t n);

/* Where the suffix of a compiler's copy of a whole function (".constprop.0") starts in its mangled
 * or readable name; NULL: it is not a copy, or only a part of a function. */
const char *symbolname_copy_ending(const char *name);

#endif
