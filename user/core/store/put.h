/*
 * put: writes a profile as groups and tables of an open HDF5 file. Used by store only.
 */
#ifndef STORE_PUT_H
#define STORE_PUT_H

#include "store/reader.h"

/* Sets group or file creation properties: order kept, no times, no heaps. */
int put_keep_order(hid_t plist);

/* The names of a profile's groups; freed by the caller. The run is the @nth of its name: from 2 on
 * the number is part of the group's name. */
char *put_version_name(const struct profile *);
char *put_platform_name(const struct profile *);
char *put_run_name(const struct profile *, unsigned nth);

/* Puts the profile into @file: a new one if @r is NULL, else that of @r, in which the name of the
 * @nth run is free. -EIO if HDF5 does not take it, or an error of reader_group(). */
int put_profile(struct reader *r, hid_t file, const struct profile *, unsigned nth);

/* Puts the profile into the group @runs as @name, which is free; @meta is its platform's. -EIO. */
int put_run_named(hid_t runs, hid_t meta, const char *name, const struct profile *);
/* Puts the texts of the table's columns that are spelled out (struct column) beside it. -EIO. */
int put_texts(hid_t run, const struct table_place *, const struct profile *);
/* Raises the file's schema numbers to this program's. -EIO. */
int put_raise_schema(hid_t file);

#endif
