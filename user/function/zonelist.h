/*
 * zonelist: the functions of executable files that can be zones, and what a capture of zones must
 * know of each file: where its code switches stacks, and whether it walks them. Filled by
 * zonelist_read().
 */
#ifndef FUNCTION_ZONELIST_H
#define FUNCTION_ZONELIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "code/site.h"
#include "process/images.h"
#include "function/zonepattern.h"

/* How many zones there may be where nobody says otherwise. */
#define ZONELIST_DEFAULT_MAX 10000u

struct zone_def {
	char *name;		/* as people write it, parameters left out; owned */
	char *linkage;		/* as the linker writes it; NULL: the same; owned */
	char *file;		/* source file; NULL unknown; owned */
	uint32_t line;		/* where the function is declared, 0 unknown */
	uint32_t pattern;	/* number of the one that took it */
	uint32_t actions;	/* of the patterns that took it */
	uint64_t address, size; /* as in the file's symbols */
	uint64_t offset;	/* of the first byte, in the file */
	struct sites sites;	/* sites.why set: it cannot be a zone */
};

/* Its calls are counted or timed; else other actions alone are for it. */
static inline bool zone_def_is_zone(const struct zone_def *z)
{
	return z->actions & 1;
}

/* What a function that leaves the stack it was called on does at its sites. */
struct zone_switch {
	char *name; /* owned */
	uint64_t address, size, offset;
	/* Its entry, where the stack that is left is still in rsp; and its exits, with the indirect
	 * jumps by which such functions end, where rsp is that of the stack that is entered.
	 * sites.why set: it cannot be probed. */
	struct sites sites;
};

enum {
	ZONELIST_NO_SYMTAB = 1,	 /* stripped: only exported functions are known */
	ZONELIST_NO_SYMBOLS = 2, /* no function at all is known by name */
	ZONELIST_NO_LINES = 4,	 /* no DWARF: source files are not known */
	ZONELIST_GO = 8,	 /* a Go program: its stacks move */
	ZONELIST_PROGRAM = 16,	 /* a program, not a library */
	ZONELIST_SWITCHES = 32,	 /* it calls functions that switch stacks */
	ZONELIST_STUBS = 64,	 /* it calls other modules by stubs: "NAME@plt" */
	ZONELIST_TOO_LONG = 128, /* it, or what its user has, took too long to read */
};

/* Of one image. Zeroed: empty and valid. */
struct zonelist {
	char *problem;	    /* why nothing could be read, one clause; NULL: it could; owned */
	uint32_t flags;	    /* ZONELIST_… */
	uint64_t functions; /* that have a name */
	uint64_t matched;   /* also beyond the request's max */
	VEC(struct zone_def) zones; /* by address; those that can be probed and those that cannot */
	VEC(struct zone_switch) switches;
	/* Per pattern: names that it matches, exclusions left aside, also of functions that cannot
	 * be zones. */
	VEC(uint32_t) hits;
	/* What in this file makes it unsafe to hijack return addresses anywhere in a process that
	 * maps it: "libstdc++.so.6 throws C++ exceptions"; NULL: nothing known; owned. */
	char *hijack_unsafe;
};
void zonelist_release(struct zonelist *);

/* Return addresses may be hijacked in a process that maps the file, for all that is known of its
 * code; nothing is known of one that could not be read. */
static inline bool zonelist_is_harmless(const struct zonelist *l)
{
	return !l->problem && !l->hijack_unsafe;
}

/* A process is to be taken for one that runs coroutines before it does. */
static inline bool zonelist_runs_coroutines(const struct zonelist *l)
{
	return l->zones.n && l->flags & ZONELIST_SWITCHES;
}

/* Leaves out all zones and switches. */
void zonelist_drop(struct zonelist *);

/* What is said of an image that no function of can be a zone; NULL: functions of it can. */
const char *zonelist_obstacle(const struct image *);

struct zonelist_request {
	const struct zonepatterns *patterns; /* borrowed */
	struct site_kernel kernel;
	uint64_t max;		     /* zones in all images together; 0: ZONELIST_DEFAULT_MAX */
	bool lines;		     /* source file and line of each zone */
	const char *const *switches; /* names (globs) of functions that switch stacks, besides those
				      * known; borrowed */
	size_t n_switches;
	/* As of struct crew; NULL: none. What is given up has a problem. */
	const struct crew_wait *wait;
	struct allowance *allowance;
};

/* The most zones that it allows. */
static inline uint64_t zonelist_max(const struct zonelist_request *request)
{
	return request->max ? request->max : ZONELIST_DEFAULT_MAX;
}

#endif
