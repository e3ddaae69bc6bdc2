/*
 * rename: names afterwards what a capture could not: the frames of functions without a name, of
 * which the profile keeps the address (model/profile.h, struct frame). Debug files are read in the
 * same confined worker processes as at capture.
 */
#ifndef SYMBOL_RENAME_H
#define SYMBOL_RENAME_H

#include "elf/buildid.h"
#include "model/profile.h"

/* A module with frames that have no name. */
struct rename_module {
	uint32_t module;
	uint8_t id[BUILDID_MAX];
	uint8_t bytes;	    /* of the build-id; 0: none, nothing can be found */
	uint32_t addresses; /* distinct ones */
	int fd;		    /* of its debug file, the caller's to set; -1: none */
	/* Set by rename_run(): how many got a name, how many of these a line; how many inlined
	 * calls were found. */
	uint32_t named, lines, inlined;
};
struct rename {
	VEC(struct rename_module) modules; /* in the order of the profile's */
	uint64_t without_address; /* frames of files without a name and without an address, too */
};

/* Finds them; all descriptors are -1. */
void rename_init(struct rename *, const struct profile *);
/* Closes the descriptors. */
void rename_release(struct rename *);

/* Names what the descriptors have. What a hostile file does to its reader costs only its own
 * names. */
void rename_run(struct rename *, struct profile *);

#endif
