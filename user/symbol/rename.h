/*
 * rename: names afterwards what a capture could not (select/unnamed.h). Reads debug files in the
 * same confined worker processes as a capture.
 */
#ifndef SYMBOL_RENAME_H
#define SYMBOL_RENAME_H

#include "elf/buildid.h"
#include "select/renaming.h"

/* A module with frames that have no name. */
struct rename_module {
	const struct unnamed_module *unnamed;
	uint8_t id[BUILDID_MAX];
	uint8_t bytes; /* of the build-id; 0: none, so no debug file can be found */
	int fd;	       /* of its debug file, set by the caller; -1: none */
	char *path;    /* of the same, absolute; owned; NULL: unknown, so that only files it refers
			  to by an absolute path are found */
	/* Set by rename_run(): how many of its addresses got a name, and of these a line; how many
	 * inlined calls were found. */
	uint32_t named, lines, inlined;
};
struct rename {
	VEC(struct rename_module) modules; /* in the order of those in struct unnamed */
};

/* Borrows @unnamed; all descriptors are -1. */
void rename_init(struct rename *, const struct unnamed *);
/* Closes the descriptors. */
void rename_release(struct rename *);

/* Names addresses from the modules' debug files. A hostile file costs only its own names. The
 * caller releases @out. */
void rename_run(struct rename *, struct renaming *out);

#endif
