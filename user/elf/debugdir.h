/*
 * debugdir: a folder of separate debug files, searched by build-id and never by name. Known places
 * come first: .build-id/xx/yyyy.debug and xx/yyyy.debug, as /usr/lib/debug and its copies have
 * them, and xxyyyy/debuginfo, as the cache of debuginfod has them; then every file in the folder
 * itself.
 */
#ifndef ELF_DEBUGDIR_H
#define ELF_DEBUGDIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/buildid.h"

/* A file in the folder, by what it says itself. */
struct debugdir_file {
	char *path; /* owned */
	uint8_t id[BUILDID_MAX];
	uint8_t bytes;
};

struct debugdir {
	const char *path; /* borrowed */
	VEC(struct debugdir_file) files;
};

/* Reads the build-ids of the files in the folder, of @flat ones; not of its subfolders. -errno with
 * a text where it cannot be read. To be released in either case. */
int debugdir_init(struct debugdir *, const char *path, bool flat);
void debugdir_release(struct debugdir *);

/* An open descriptor, the caller's, with its path, freed by the caller, in *@found; or -ENOENT.
 * -EBADMSG where the place of that build-id holds a file of another: *@found is that then. No
 * texts; *@found is NULL where there is nothing. */
int debugdir_open(const struct debugdir *, const uint8_t *id, uint8_t bytes, char **found);

#endif
