/*
 * features: finds out what this kernel and these privileges allow, by trying each thing and undoing
 * it, never by a version number. For `eprof doctor`; needs no privileges.
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

enum { FEATURES_MAX = 40 };

/* Tries all features and returns how many it wrote to @out, at most FEATURES_MAX. Texts are static.
 * Takes some milliseconds. */
size_t features_probe(struct feature out[FEATURES_MAX]);

/* True if only the user's own processes can be sampled, without privileges. */
bool features_own(const struct feature *, size_t n);

/* True if no essential feature is missing or untested. */
bool features_suffice(const struct feature *, size_t n);

/* --- for load/features*.c only ---------------------------------------------------------------- */

/* How to try a feature, and what to tell the user. A new feature is one row in the table of its
 * group. */
struct feature_row {
	bool essential;
	const char *key, *what;
	/* Tries it; writes what it saw to @found, or leaves that empty. */
	enum feature_state (*probe)(char found[FEATURE_FOUND]);
	/* What its presence and its absence mean; how to get it. */
	const char *with, *without, *get;
};

struct feature_rows {
	const struct feature_row *at;
	size_t n;
};
extern const struct feature_rows features_kernel;

/* A descriptor is closed and means ok; a negative errno decides the state and is named in
 * @found. */
enum feature_state feature_settle(int fd_or_errno, char found[FEATURE_FOUND]);

#define AS_ROOT "run eprof as root (sudo)"

#endif
