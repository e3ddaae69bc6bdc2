/*
 * unnamed: what of a profile can be named afterwards: the addresses of frames of files whose
 * functions have no name, by module (profile.h, struct frame). As bytes it goes from who may read
 * the profile to who may look for debug files.
 */
#ifndef MODEL_UNNAMED_H
#define MODEL_UNNAMED_H

#include "base/str.h"
#include "model/profile.h"

struct unnamed_module {
	uint32_t module;	/* of the profile; unpacked: 0 */
	char *name, *path, *id; /* owned; id: the build-id in hexadecimal, "" where there is none */
	uint64_t *addresses;	/* owned, ascending, each once */
	size_t n;
};
struct unnamed {
	VEC(struct unnamed_module) modules; /* in the order of the profile's */
	uint64_t without_address; /* frames of files without a name and without an address, too */
};

void unnamed_find(struct unnamed *, const struct profile *);
void unnamed_release(struct unnamed *);

/* How many addresses there are. */
size_t unnamed_count(const struct unnamed *);
/* For each frame of the profile that @u was found in, the number of its address, from 1 on in the
 * order of modules and addresses; 0: it has a name, or nothing to find one by. Freed by the caller.
 */
uint32_t *unnamed_of_frames(const struct unnamed *u, const struct profile *);

void unnamed_pack(const struct unnamed *, struct str *out);
/* The bytes may come from a process that a stranger's file took over: -EINVAL with a text for what
 * is no such thing; what it takes is in proportion to @n. To be released in either case. */
int unnamed_unpack(const char *at, size_t n, struct unnamed *);

#endif
