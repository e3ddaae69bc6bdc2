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

/* 1: samples. 2: zones. 3: windows, births of processes. 4: origins, addresses of frames. 5:
 * regression, source lines. */
#define STORE_SCHEMA	     6
#define STORE_SCHEMA_WINDOWS 6 /* from here on each window is of its own time alone */
#define STORE_MIN_READER     6

/* HDF5's library is loaded when it is first used (late.h): the first makes that now, once for a
 * process and its later children, and before it is confined; the second looks, at next to no cost,
 * whether it is there. -ENOENT with a text. */
int store_library_load(void);
int store_library_check(void);

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

/*
 * Adds the profile to the store at @path, which is made where there is none: any profile of eprof
 * is a store. Two of one name get different ones: "name", "name #2". One that is there already,
 * equal in each byte, is not added again; *@added (may be NULL) says so. Made as a whole or not at
 * all (journal.h), whoever else reads or adds meanwhile (lock.h). Errors: as store_load() and
 * store_save(), -EBUSY where somebody keeps the store for a minute.
 */
int store_add(const char *path, const struct profile *, bool *added);

/* Puts @profile in the place of the run that store_load() gives for @key, as store_add() adds: all
 * of it or nothing. It keeps its name, version and platform. Errors: those of store_add(); -ENOENT
 * where there is no such run, -ESTALE where it is one of another time than @profile. */
int store_replace(const char *path, const struct store_key *key, const struct profile *);

/* Whether that can be done to a store that is there, before there is a profile: errors of
 * store_add(). -ENOENT: none is. */
int store_check(const char *path);

/* Takes away the runs that @key allows, *@n of them, and the platforms and versions that have no
 * other, as store_add() adds. Their room in the file stays until it is compacted. -ENOENT where
 * there is none. */
int store_remove(const char *path, const struct store_key *key, size_t *n);

/* Writes the store anew, beside it, without the room of what was removed, and puts the result in
 * its place. Everything is copied as it is, in the order in which it was made, what this program
 * does not know too. *@before and *@after (bytes) say how long it was and is. */
int store_compact(const char *path, uint64_t *before, uint64_t *after);

/* Errors: -ENOENT no such file or run, -EINVAL not a profile, truncated, or inconsistent (the
 * text says what), -ENOTSUP newer schema, -EFBIG past the bounds. */
int store_load(const char *path, const struct store_key *, struct profile **out);
/* The same of the @n bytes of a file, which @name is for texts, alone. */
int store_load_image(const char *name, const void *image, size_t n, struct profile **out);

/* Whether the file holds one run and nothing else: then it can be written anew from the profile
 * that was loaded. Errors of
 * store_load(). */
int store_is_single(const char *path, bool *single);

#endif
