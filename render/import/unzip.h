/*
 * unzip: what is in a gzip file, and texts in UTF-16 as UTF-8, for importers.
 */
#ifndef IMPORT_UNZIP_H
#define IMPORT_UNZIP_H

#include <stdbool.h>

#include "base/input.h"
#include "base/vec.h"

#define UNZIP_BYTES_MAX ((size_t)512 << 20)

typedef VEC(uint8_t) unzip_bytes;

bool unzip_is(struct span head);
/* All of @file, which may be several gzips, one behind the other. -EINVAL if it is damaged or cut
 * off, -EFBIG if it holds more than UNZIP_BYTES_MAX, with a text that names it. */
int unzip(const char *name, struct span file, unzip_bytes *out);

/* Whether it begins with the mark of UTF-16. */
bool utf16_is(struct span head);
/* The text in UTF-8, with U+FFFD for what is none; -EFBIG as above. */
int utf16_decode(const char *name, struct span file, unzip_bytes *out);

#endif
