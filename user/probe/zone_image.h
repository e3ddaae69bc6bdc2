/*
 * zone_image: a file with zones, and the probes in it. One set of probes serves all processes of
 * the target. Sessions are never attached for one process alone: if another process has a
 * breakpoint at the same place (after a fork, or by another capture), the kernel hijacks its return
 * addresses without asking the session's program. So sessions are for all processes that map the
 * file, and the program ignores those outside the target. Other probes are for one process as long
 * as it is the only one of the target. For probe/ and the source of zones.
 */
#ifndef PROBE_ZONE_IMAGE_H
#define PROBE_ZONE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/probe_session.h"
#include "model/zone.h"
#include "load/zonemaps.h"
#include "process/images.h"
#include "probe/guard.h"
#include "probe/keeper.h"
#include "probe/own_code.h"
#include "probe/zone_governor.h"
#include "function/zonelist.h"

/* How to see the ends of calls: --zone-exit. */
enum zone_ends {
	ZONE_ENDS_AUTO,	   /* sessions where they are safe, else probes at exits */
	ZONE_ENDS_SESSION, /* the same, but sessions also with code off its threads' stacks */
	ZONE_ENDS_RETS,
	ZONE_ENDS_NONE, /* calls are only counted */
};

/* The probes that an image has, or should have. */
struct zone_attached {
	enum { ATTACH_NOTHING, ATTACH_ENTRIES, ATTACH_SESSIONS } entries;
	bool counted; /* zones are only counted, by the action count */
	bool exits;
	bool switches;		      /* watch functions that switch stacks */
	uint32_t entry_pid, exit_pid; /* for this process only; 0: for all */
	uint32_t modes_number;	      /* the image's */
};

struct zone_image {
	uint32_t image; /* index in images; IMAGE_NONE: nobody runs it any more, it has no probes */
	/* What is known then of its file, for the rows of its zones; owned; else NULL. */
	struct image *was;
	uint32_t slot;	/* its row of generations, where it may have probes */
	uint32_t first; /* number of zone list.zones.at[0], others follow; UINT32_MAX: not read */
	struct zonelist list;
	struct guard_file file;	      /* identity when the list was made */
	struct wire_zone_file passed; /* what the BPF programs know it by; inode 0: not at all */
	bool written;		      /* written to since then: has no probes any more */
	VEC(bool) refused;	      /* by list.zones: the kernel refused a probe */
	VEC(uint8_t) modes;	      /* by list.zones: enum zone_mode, as the kernel has it */
	uint32_t modes_number;	      /* increases when a change of modes calls for other probes */
	struct zone_attached attached;
	uint8_t generation;
	keeper_links links;
	bool entries_for_all, exits_for_all; /* were needed for all once, and stay so */
	/* How calls ended in processes that have ended; probes for their like are kept. */
	struct zone_past {
		bool hijack, rets, none, foreign;
	} past;
	/* Result of zone_cost_which() for so many zones and ways of exit. */
	struct zone_costing {
		unsigned int ways;
		size_t zones;
		uint32_t which;
	} costing;
	bool named;	    /* by a pattern: probed before any process runs it */
	uint32_t kept_from; /* no probes because of this process; 0: see zone_guard */
};

/* Whether function @k of the list can have probes; whether it is also a zone; whether it can have
 * probes at all its exits. */
bool zone_image_has(const struct zone_image *, size_t k);
bool zone_image_has_zone(const struct zone_image *, size_t k);
bool zone_image_has_exits(const struct zone_image *, size_t k);

/* Whether process @pid hits its probes. */
bool zone_image_is_met(const struct zone_image *, uint32_t pid);
/* How calls of zone @k end in a process with flags WIRE_PROC_…. */
enum exit_way zone_image_exit(const struct zone_image *, size_t k, uint32_t flags);

/* Whether nobody runs it any more: zone_forget. */
bool zone_image_is_past(const struct zone_image *);
bool zone_image_is_read(const struct zone_image *);
/* As zonelist_is_harmless(), for an image that was read. */
bool zone_image_is_harmless(const struct zone_image *);

/* What probes are attached with; all borrowed. */
struct zone_tools {
	struct keeper *keeper;
	struct own_code *own;
	struct zonemaps *maps;
};

/* Replaces the attached probes by those of @want, without losing a call or counting one twice.
 * Errors with a text; then nothing has changed. */
int zone_image_attach(struct zone_image *, const struct zone_tools *, const struct image *,
		      const struct zone_attached *want);
void zone_image_release(struct zone_image *);

#endif
