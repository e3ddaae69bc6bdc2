/*
 * zone_image: a file with functions that are zones, and the probes in it. One set of probes serves
 * all processes of the target. Sessions are never for one process alone: where another has a
 * breakpoint at the same place, of a fork, of another capture, the kernel takes it that a session
 * which is not for it wants its return addresses hijacked, and asks no program. So they are for all
 * that map the file, and the program turns away those that are no targets. Other probes are for one
 * process while it is the only one of the target. For source/zone* only.
 */
#ifndef SOURCE_ZONE_IMAGE_H
#define SOURCE_ZONE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/probe_session.h"
#include "model/zone.h"
#include "process/images.h"
#include "source/zone_governor.h"
#include "symbol/zonelist.h"

/* How the ends of calls are to be seen, --zone-exit. */
enum zone_ends {
	ZONE_ENDS_AUTO,	   /* by sessions where they do no harm, else by probes at exits */
	ZONE_ENDS_SESSION, /* the same, also where code runs off its threads' stacks */
	ZONE_ENDS_RETS,
	ZONE_ENDS_NONE, /* calls are counted */
};

/* Which probes an image has, or should have. */
struct zone_hanging {
	enum { HANG_NOTHING, HANG_COUNTS, HANG_ENTRIES, HANG_SESSIONS } entries;
	uint32_t actions; /* bits: those whose programs hang at entries, besides zone */
	bool exits;
	bool switches;		      /* functions that switch stacks are watched */
	uint32_t entry_pid, exit_pid; /* for this process alone; 0: for all */
	uint32_t modes_number;	      /* the image's */
};

struct zone_image {
	uint32_t image; /* in images */
	uint32_t slot;	/* its row of generations */
	uint32_t first; /* zone number of list.zones.at[0]; the others follow; UINT32_MAX: unread */
	struct zonelist list;
	struct keeper_file file; /* as it was before the list was made */
	bool written;		 /* since then: it has no probes any more */
	VEC(bool) refused;	 /* of list.zones: by the kernel */
	VEC(uint8_t) modes;	 /* of list.zones: enum zone_mode, as the kernel has them */
	uint32_t modes_number;	 /* grows when other probes should hang for their sake */
	struct zone_hanging hanging;
	uint8_t generation;
	keeper_links links;
	bool entries_for_all, exits_for_all; /* they were once, and stay so */
	/* How calls ended in processes that have ended: what hangs for their like goes on to. */
	struct zone_past {
		bool hijack, rets, none, foreign;
	} past;
	/* What zone_cost_which() found of so many zones whose calls end in these ways. */
	struct zone_costing {
		unsigned int ways;
		size_t zones;
		uint32_t which;
	} costing;
	bool named;	    /* by a pattern: it has probes before anybody runs it */
	uint32_t kept_from; /* no probes for the sake of this process; 0: see zone_guard */
};

/* Whether function @k of the list can have probes at all; is a zone that has; can have them at all
 * of its exits. */
bool zone_image_has(const struct zone_image *, size_t k);
bool zone_image_has_zone(const struct zone_image *, size_t k);
bool zone_image_has_exits(const struct zone_image *, size_t k);

/* Whether its probes are met by process @pid. */
bool zone_image_is_met(const struct zone_image *, uint32_t pid);
/* How calls of zone @k end in a process with these flags, WIRE_PROC_…. */
enum exit_way zone_image_exit(const struct zone_image *, size_t k, uint32_t flags);

bool zone_image_is_read(const struct zone_image *);
/* zonelist_is_harmless() of one that was read. */
bool zone_image_is_harmless(const struct zone_image *);

/* Hangs what @want says instead of what hangs there, without a call lost or counted twice. Errors
 * with a text: nothing has changed then. */
int zone_image_hang(struct zone_image *, struct probe_session *, const struct image *,
		    const struct zone_hanging *want);
void zone_image_release(struct zone_image *);

#endif
