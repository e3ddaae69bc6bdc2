/*
 * store: a profile to HDF5 and back. Reading is a trust boundary: the file may come from a
 * stranger, so every size is checked against a bound and against the file's own size, every
 * index against its table, before anything is allocated or used.
 *
 * Layout (design, section 4): /<version>/<platform_id>/meta and …/profiles/<run>.
 *
 * A file that a capture is still writing, or that was cut off, may be several such files one behind
 * the other, each of a window of one capture: they are read as the one profile that they make
 * together (model/splice.h). HDF5's own tools see the first one.
 *
 * The schema number grows by one with every addition, and min_reader says which number a reader
 * must know at least to make sense of the file: others read what they know of it, and refuse by
 * name what is too new for them. Unknown tables, columns and parts are left alone.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>

#include "model/profile.h"

/* 1: samples. 2: zones. 3: windows, births of processes. */
#define STORE_SCHEMA	 3
#define STORE_MIN_READER 2

/*
 * A new file at @path with this one profile, through a temporary name (file_begin). Errors:
 * -EEXIST, -EACCES, -ENOSPC …, with a text; the target is untouched then. HDF5 itself prints
 * nothing.
 */
int store_save(const char *path, bool force, const struct profile *);

/* The bytes of such a file, freed by the caller. -EIO with a text. */
int store_image(const struct profile *, char **image, size_t *n);
/* How long the file is whose first @n bytes, at most, are at @head; 0: it is no such file. */
#define STORE_HEAD_BYTES 48
size_t store_image_bytes(const void *head, size_t n);

/* Which run of a store; NULL members: the only or newest one. */
struct store_key {
	const char *version, *platform, *run;
};

/* Errors: -ENOENT no such file or run, -EINVAL not a profile, truncated, or inconsistent (the
 * text says what), -ENOTSUP newer schema, -EFBIG past the bounds. */
int store_load(const char *path, const struct store_key *, struct profile **out);
/* The same of the @n bytes of a file, which @name is for texts, alone. */
int store_load_image(const char *name, const void *image, size_t n, struct profile **out);

#endif
