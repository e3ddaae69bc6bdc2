/*
 * put: a profile becomes groups and tables of an open HDF5 file. Used by store only.
 */
#ifndef STORE_PUT_H
#define STORE_PUT_H

#include "store/reader.h"

/* Group or file creation properties: order kept, no times, no heaps. */
int put_keep_order(hid_t plist);

/* The names of a profile's groups; freed by the caller. The run's is the @nth of that name: from 2
 * on the number is part of it. */
char *put_version_name(const struct profile *);
char *put_platform_name(const struct profile *);
char *put_run_name(const struct profile *, unsigned nth);

/* Puts the profile into @file: a new one where @r is NULL, else that of @r, which has no run of the
 * name that @nth gives it. -EIO where HDF5 does not take it, or an error of reader_group(). */
int put_profile(struct reader *r, hid_t file, const struct profile *, unsigned nth);

/* Puts the profile below the group @runs under that name, which is free; @meta: its platform's.
 * -EIO.
 */
int put_run_named(hid_t runs, hid_t meta, const char *name, const struct profile *);
/* The numbers of the file are at least those of this program. -EIO. */
int put_raise_schema(hid_t file);

#endif
