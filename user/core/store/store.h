/*
 * store: writes profiles to HDF5 files and reads them. Reading is a trust boundary: the file may
 * come from a stranger, so every size is checked against a bound and the file's own size, every
 * index against its table, before anything is allocated or used.
 *
 * Layout (design, section 4): /<version>/<platform_id>/meta and …/profiles/<run>.
 *
 * A file that a capture still writes, or that was cut off, may be several such files one behind the
 * other, one a window: they are read as one profile (model/splice.h). HDF5's own tools see the
 * first one.
 *
 * The schema number grows by one with every addition. min_reader is the lowest number that a reader
 * must know: older ones refuse the file and name the program that it needs; newer ones read it and
 * leave unknown tables, columns and parts alone.
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

/* HDF5's library is loaded when it is first used (late.h). The first loads it now, for the process
 * and its later children, before they are confined; the second checks cheaply whether it is
 * installed. -ENOENT with a text. */
int store_library_load(void);
int store_library_check(void);

/* Writes a new file at @path with this one profile, under a temporary name first (file_begin).
 * After -EEXIST, -EACCES, -ENOSPC …, with a text, what was at @path is untouched. */
int store_save(const char *path, bool force, const struct profile *);

/* The bytes of such a file, freed by the caller. -EIO with a text. */
int store_image(const struct profile *, char **image, size_t *n);
/* The length of the file that begins with the @n bytes at @head; 0: it is no such file. */
#define STORE_HEAD_BYTES 48
size_t store_image_bytes(const void *head, size_t n);

/* Which run of a store; NULL members: the only or newest one. */
struct store_key {
	const char *version, *platform, *run;
};

/*
 * Adds the profile to the store at @path, or makes it: any profile of eprof is a store. A second
 * run of one name becomes "name #2". A run that is there already, equal in each byte, is not added
 * again; *@added (may be NULL) says so. The change is made whole or not at all (journal.h), even if
 * others read or add meanwhile. Errors: as store_load() and store_save(); -EBUSY if another program
 * keeps the store locked for a minute.
 */
int store_add(const char *path, const struct profile *, bool *added);

/* Replaces the run that store_load() finds for @key, whole or not at all; the run keeps its name,
 * version and platform. Errors: those of store_add(); -ENOENT if there is no such run, -ESTALE if
 * it was made at another time than @profile. */
int store_replace(const char *path, const struct store_key *key, const struct profile *);

/* Whether a store could be added to now, before there is a profile: errors of store_add(), -ENOENT
 * if there is no such file. */
int store_check(const char *path);

/* Removes the *@n runs that @key allows, whole or not at all, and platforms and versions that have
 * no other run. The file keeps its size until it is compacted. -ENOENT if there is none. */
int store_remove(const char *path, const struct store_key *key, size_t *n);

/* Replaces the store by a copy without the room of what was removed. Everything else is copied as
 * it is, in its order, also what this program does not know. *@before and *@after: bytes. */
int store_compact(const char *path, uint64_t *before, uint64_t *after);

/* Errors: -ENOENT no such file or run, -EINVAL not a profile, truncated, or inconsistent (the
 * text says what), -ENOTSUP newer schema, -EFBIG past the bounds. */
int store_load(const char *path, const struct store_key *, struct profile **out);
/* The same, but events of a timeline, if the file has such, may be left in it: then they are read,
 * and checked, when they are walked (model/event_cursor.h), and the file stays locked against
 * writers until the profile is freed. */
int store_load_leaving(const char *path, const struct store_key *, struct profile **out);
/* The same as store_load() for the @n bytes of a file, which texts call @name; without later
 * windows. */
int store_load_image(const char *name, const void *image, size_t n, struct profile **out);

/* Whether the file holds one run and nothing else, so that the loaded profile is all of it. Errors
 * of store_load(). */
int store_is_single(const char *path, bool *single);

#endif
