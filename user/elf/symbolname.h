/*
 * symbolname: how the names in symbol tables are written: with versions, as stubs of the PLT, as
 * copies of functions. Looks at the text alone: safe anywhere.
 */
#ifndef ELF_SYMBOLNAME_H
#define ELF_SYMBOLNAME_H

#include <stdbool.h>
#include <stddef.h>

/* What stands behind the name of a stub. */
#define SYMBOLNAME_STUB "@plt"

/* How long @text is without its version: "memcpy@@GLIBC_2.14" is memcpy, "memcpy@plt" itself. */
size_t symbolname_bytes(const char *text);
/* Whether that is one of the @n @names. */
bool symbolname_is_one_of(const char *text, const char *const *names, size_t n);

/* Where the ending of a compiler's copy of the whole function starts in either of its names; NULL:
 * it is no copy, or a part. */
const char *symbolname_copy_ending(const char *name);

#endif
