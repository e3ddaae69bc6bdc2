/*
 * zonelist: the functions of executable files that can be zones, and what a capture of zones must
 * know about each file: where its code switches stacks, and whether it walks them. Filled by
 * zonelist_read().
 */
#ifndef FUNCTION_ZONELIST_H
#define FUNCTION_ZONELIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/signature.h"
#include "base/vec.h"
#include "code/marker.h"
#include "code/site.h"
#include "process/images.h"
#include "function/zonepattern.h"

/* The limit of zones where the user sets none. */
#define ZONELIST_DEFAULT_MAX 10000u

struct zone_def {
	char *name;		     /* as people write it, without parameters; owned */
	char *linkage;		     /* as the linker writes it; NULL: the same; owned */
	char *file;		     /* source file; NULL: unknown; owned */
	uint32_t line;		     /* of the function's declaration; 0: unknown */
	uint32_t pattern;	     /* number of the first pattern that selects it */
	uint32_t actions;	     /* of all patterns that select it */
	bool implied;		     /* that first pattern is no user's */
	uint64_t address, size;	     /* as in the file's symbols */
	uint64_t offset;	     /* of its first byte, in the file */
	struct signature *signature; /* what it takes; NULL: unknown; owned */
	uint32_t arguments;	     /* that its actions need at its entry, bits */
	/* Where these are asked for: the .dwo file that has its debug information and was not read,
	 * and the folder that the name is relative to, as the binary says; NULL: none; owned. */
	char *dwo, *dwo_folder;
	bool dwo_tried;	      /* it was looked for */
	struct marker marker; /* where it is one */
	struct sites sites;   /* sites.why set: the function cannot be a zone */
};

/* Whether its calls are counted or timed, and not only other actions apply. */
static inline bool zone_def_is_zone(const struct zone_def *z)
{
	return z->actions & 1;
}
/* Whether its calls have other actions. */
static inline bool zone_def_has_others(const struct zone_def *z)
{
	return z->actions & ~1u;
}

/* Whether it is a copy that the compiler made, or a stub: these take other arguments. */
bool zone_def_is_clone(const struct zone_def *);

/* A function that switches to another stack. */
struct zone_switch {
	char *name; /* owned */
	uint64_t address, size, offset;
	/* Its entry, where rsp still points into the old stack, and its exits, including the
	 * indirect jumps by which such functions end, where rsp points into the new one. sites.why
	 * set: it cannot be probed. */
	struct sites sites;
};

enum {
	ZONELIST_NO_SYMTAB = 1,	 /* stripped: only exported functions have names */
	ZONELIST_NO_SYMBOLS = 2, /* no function has a name */
	ZONELIST_NO_LINES = 4,	 /* no DWARF: source files are unknown */
	ZONELIST_GO = 8,	 /* a Go program: its stacks move */
	ZONELIST_PROGRAM = 16,	 /* a program, not a library */
	ZONELIST_SWITCHES = 32,	 /* it calls functions that switch stacks */
	ZONELIST_STUBS = 64,	 /* it calls other modules by stubs: "NAME@plt" */
	ZONELIST_TOO_LONG = 128, /* reading it took too long, or its user has no allowance left */
};

/* The list of one image. Zeroed: empty and valid. */
struct zonelist {
	char *problem;	    /* why nothing could be read, one clause; NULL: no problem; owned */
	uint32_t flags;	    /* ZONELIST_… */
	uint64_t functions; /* functions that have a name */
	uint64_t matched;   /* including those beyond the request's max */
	VEC(struct zone_def) zones; /* by address, with those that cannot be probed */
	VEC(struct zone_switch) switches;
	/* By pattern: names that it matches, before exclusions, including those of functions that
	 * cannot be zones. */
	VEC(uint32_t) hits;
	/* Why it is unsafe to hijack return addresses in a process that maps this file:
	 * "libstdc++.so.6 throws C++ exceptions"; NULL: no reason known; owned. */
	char *hijack_unsafe;
};
void zonelist_release(struct zonelist *);

/* Whether return addresses may be hijacked in a process that maps the file, as far as its code is
 * known; false if it could not be read. */
static inline bool zonelist_is_harmless(const struct zonelist *l)
{
	return !l->problem && !l->hijack_unsafe;
}

/* Whether to assume that processes with this file run coroutines. */
static inline bool zonelist_runs_coroutines(const struct zonelist *l)
{
	return l->zones.n && l->flags & ZONELIST_SWITCHES;
}

/* Frees all zones and switches. */
void zonelist_drop(struct zonelist *);

/* Why no function of the image can be a zone; NULL: its functions can. */
const char *zonelist_obstacle(const struct image *);

struct zonelist_request {
	const struct zonepatterns *patterns; /* borrowed */
	struct site_kernel kernel;
	uint64_t max; /* limit of zones in all images together; 0: ZONELIST_DEFAULT_MAX */
	bool lines;   /* whether to find the source file, line and signature of each zone */
	const char *const *switches; /* names (globs) of functions that switch stacks, in addition
					to the known ones; borrowed */
	size_t n_switches;
	/* Bits: functions with one of these actions are followed where they leave by a jump. */
	uint32_t follow;
	/* As in struct crew; may be NULL. A file whose task is given up gets a problem. */
	const struct crew_wait *wait;
	struct allowance *allowance;
};

static inline uint64_t zonelist_max(const struct zonelist_request *request)
{
	return request->max ? request->max : ZONELIST_DEFAULT_MAX;
}

#endif
