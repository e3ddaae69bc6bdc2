/*
 * feature: one thing that eprof needs from the kernel, the privileges or the settings, and whether
 * it is there.
 */
#ifndef LOAD_FEATURE_H
#define LOAD_FEATURE_H

#include <stdbool.h>

enum feature_state {
	FEATURE_OK,
	FEATURE_LIMITED, /* works in part, or by other means */
	FEATURE_MISSING,
	FEATURE_UNKNOWN, /* could not be tried without privileges */
};

enum { FEATURE_FOUND = 80 };

enum feature_group { FEATURE_KERNEL, FEATURE_PRIVILEGE, FEATURE_SETTING };

struct feature {
	enum feature_group group;
	const char *key;  /* stable, for programs: "ring_buffer" */
	const char *what; /* for people: "ring buffer" */
	bool essential;	  /* no sampling at all without it */
	enum feature_state state;
	char found[FEATURE_FOUND]; /* what the probe saw: "6.18.44", "not permitted", "1"; or "" */
	const char *means;	   /* for a user of eprof: what this state means */
	const char *get;	   /* how to get what is missing; "" if nothing is */
};

/* The key of sampling one's own processes. */
#define FEATURE_OWN "own_processes"

#endif
