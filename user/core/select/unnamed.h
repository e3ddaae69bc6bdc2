/*
 * unnamed: which addresses of a profile `eprof name` can name afterwards: those of frames of files
 * whose functions have no name, by module (profile.h, struct frame). The process that may read the
 * profile packs them for the one that may look for debug files.
 */
#ifndef SELECT_UNNAMED_H
#define SELECT_UNNAMED_H

#include "base/str.h"
#include "model/profile.h"

/* The addresses of a module, in the order of the profile's modules. */
struct unnamed_module {
	const char *name, *path, *id; /* borrowed from texts; id: the build-id in hexadecimal, "" */
	const uint64_t *addresses;    /* borrowed: ascending, each once */
	size_t n;
};

/* A module as it is packed: its texts, and how many addresses it has. */
struct unnamed_texts {
	uint32_t name, path, id, n;
};

struct unnamed {
	VEC(struct unnamed_module) modules;
	uint64_t without_address; /* frames of files without a name and without an address, too */

	/* What the modules borrow from, as it is packed. */
	struct intern texts;
	VEC(struct unnamed_texts) of_modules;
	VEC(uint64_t) addresses;
};

void unnamed_find(struct unnamed *, const struct profile *);
void unnamed_release(struct unnamed *);

/* For each frame of the profile, the number of its address, from 1 on in the order of modules and
 * addresses; 0: it has a name, or no address. Freed by the caller. */
uint32_t *unnamed_of_frames(const struct profile *);

void unnamed_pack(const struct unnamed *, struct str *out);
/* The bytes may come from a process that a stranger's file took over: -EINVAL with a text for bytes
 * that unnamed_pack() would not make; memory is in proportion to @n. To be released in either case.
 */
int unnamed_unpack(const char *at, size_t n, struct unnamed *);

#endif
