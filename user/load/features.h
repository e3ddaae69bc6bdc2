/*
 * features: what this kernel and these privileges allow, found out by trying each thing and
 * undoing it, never by a version number. For `eprof doctor`; needs no privilege to be asked.
 */
#ifndef LOAD_FEATURES_H
#define LOAD_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

enum feature_state {
	FEATURE_OK,
	FEATURE_LIMITED, /* works in part, or by other means */
	FEATURE_MISSING,
	FEATURE_UNKNOWN, /* could not be tried without privileges */
};

enum { FEATURES_MAX = 40, FEATURE_FOUND = 80 };

enum feature_group { FEATURE_KERNEL, FEATURE_PRIVILEGE, FEATURE_SETTING };

struct feature {
	enum feature_group group;
	const char *key;  /* stable, for programs: "ring_buffer" */
	const char *what; /* for people: "ring buffer" */
	bool essential;	  /* without it there is no sampling at all */
	enum feature_state state;
	char found[FEATURE_FOUND]; /* what was seen: "6.18.44", "not permitted", "1"; or "" */
	const char *means;	   /* for a user of eprof, in this state */
	const char *get;	   /* how to get what is missing; "" where nothing is */
};

/* Tries them all; how many @out holds then, at most FEATURES_MAX. Texts are static. Takes some
 * milliseconds. */
size_t features_probe(struct feature out[FEATURES_MAX]);

/* The key of what is sampled of one's own processes. */
#define FEATURE_OWN "own_processes"
/* True where one's own processes can be sampled without rights; false, too, to who has them. */
bool features_own(const struct feature *, size_t n);

/* True when nothing essential is missing or could not be tried. */
bool features_suffice(const struct feature *, size_t n);

#endif
