/*
 * h5: short forms of what store needs of HDF5. Nothing here prints, nor does HDF5 after h5_begin().
 * Failures are negative; the caller, who knows the file's name, sets the text.
 */
#ifndef STORE_H5_H
#define STORE_H5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/schema.h"

/* Releases an HDF5 identifier at the end of the scope: `_h5_ hid_t file = H5Fopen(…);`. */
void h5_cleanup(const hid_t *id);
#define _h5_ __attribute__((cleanup(h5_cleanup)))

/* Before the first call of HDF5: loads it (late.h), and keeps it from printing and from looking for
 * filters in shared libraries. -ENOENT with a text if it cannot be loaded. */
int h5_begin(void);

/* Makes files have the newest format that HDF5 1.10 reads, which has the least bookkeeping and
 * checksums over it, with each block as long as what is in it. */
int h5_set_format(hid_t access);

/* The type of one column in memory (not to be released), and of a row of @t: of the columns that
 * the compound type @stored has, or of all if that is negative. */
hid_t h5_column_type(const struct column *c);
hid_t h5_row_type(const struct table *t, hid_t stored);
/* The type of a row of @t in the file: packed, with the columns as wide as they shall be there. */
hid_t h5_stored_type(const struct table *t);
/* Whether the compound type @stored has the column; one of 128 bits is two: "x" and "x_high". */
bool h5_has_column(hid_t stored, const struct column *c);

/* Writes or reads all @n rows of a dataset; @type is that of a row in memory. */
int h5_write(hid_t set, hid_t type, const void *rows, size_t n);
int h5_read(hid_t set, hid_t type, void *rows, size_t n);
/* The same of @n rows from number @first on. */
int h5_read_some(hid_t set, hid_t type, size_t first, void *rows, size_t n);

/* Scalar attributes. A text is a string of fixed length in UTF-8. */
int h5_put_text(hid_t obj, const char *name, const char *text);
int h5_put_number(hid_t obj, const char *name, hid_t type, const void *value);
/* Reads attribute @name into a number of @type; -ENOENT when missing, -EINVAL when no number. */
int h5_get_number(hid_t obj, const char *name, hid_t type, void *value);
/* The text of an open attribute in *@text, not cleaned, freed by the caller: -EINVAL when it is
 * no string of fixed length, -EFBIG when longer than @max. */
int h5_attr_text(hid_t attr, size_t max, char **text, size_t *n);

/* The name of a group for @text: '/', '%', control characters and a leading '.' become %XX.
 * An empty or missing text gives @missing. Freed by the caller. */
char *h5_group_name(const char *text, const char *missing);
/* The text that a group's name was made from; freed by the caller. */
char *h5_group_key(const char *name);

#endif
