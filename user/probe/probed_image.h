/*
 * probed_image: a file with zones, and the probes in it. One set of probes serves all processes of
 * the target. Sessions are never attached for one process alone: if another process has a
 * breakpoint at the same place (after a fork, or by another capture), the kernel hijacks its return
 * addresses without asking the session's program. So sessions are for all processes that map the
 * file, and the program ignores those outside the target. Other probes are for one process as long
 * as it is the only one of the target. For probe/ and the source of zones.
 */
#ifndef PROBE_PROBED_IMAGE_H
#define PROBE_PROBED_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/probe_session.h"
#include "model/zone.h"
#include "load/probemaps.h"
#include "process/images.h"
#include "probe/guard.h"
#include "probe/keeper.h"
#include "probe/own_code.h"
#include "probe/governor.h"
#include "function/zonelist.h"

/* How to see the ends of calls: --zone-exit. */
enum call_ends {
	CALL_ENDS_AUTO,	   /* sessions where they are safe, else probes at exits */
	CALL_ENDS_SESSION, /* the same, but sessions also with code off its threads' stacks */
	CALL_ENDS_RETS,
	CALL_ENDS_NONE, /* calls are only counted */
};

/* The probes that an image has, or should have. */
struct probe_set {
	enum { ATTACH_NOTHING, ATTACH_ENTRIES, ATTACH_SESSIONS } entries;
	bool counted; /* zones are only counted, by the action count */
	bool exits;
	bool leaf_exits;	      /* exits of leaves, too; else only sessions see their ends */
	bool switches;		      /* watch functions that switch stacks */
	uint32_t entry_pid, exit_pid; /* for this process only; 0: for all */
	uint32_t modes_number;	      /* the image's */
};

struct probed_image {
	uint32_t image; /* index in images; IMAGE_NONE: nobody runs it any more, it has no probes */
	/* What is known then of its file, for the rows of its zones; owned; else NULL. */
	struct image *was;
	uint32_t slot;	 /* its row of generations, where it may have probes */
	uint32_t leaves; /* actions whose functions are leaves: see WIRE_PROBE_LEAF */
	uint32_t first;	 /* number of zone list.zones.at[0], others follow; UINT32_MAX: not read */
	struct zonelist list;
	struct guard_file file;	       /* identity when the list was made */
	struct wire_probe_file passed; /* what the BPF programs know it by; inode 0: not at all */
	bool written;		       /* written to since then: has no probes any more */
	VEC(bool) refused;	       /* by list.zones: the kernel refused a probe */
	VEC(uint8_t) modes;	       /* by list.zones: enum probe_mode, as the kernel has it */
	uint32_t modes_number;	       /* increases when a change of modes calls for other probes */
	struct probe_set attached;
	uint8_t generation;
	keeper_links links;
	bool entries_for_all, exits_for_all; /* were needed for all once, and stay so */
	/* How calls ended in processes that have ended; probes for their like are kept. */
	struct probed_past {
		bool hijack, rets, none, foreign;
	} past;
	/* Result of zone_cost_which() for so many zones and ways of exit. */
	struct probed_costing {
		unsigned int ways;
		size_t zones;
		uint32_t which;
	} costing;
	bool named;	    /* by a pattern: probed before any process runs it */
	uint32_t kept_from; /* no probes because of this process; 0: see engine_guard */
};

/* Whether function @k of the list can have probes; whether it can have them at all its exits. */
bool probed_image_has(const struct probed_image *, size_t k);
bool probed_image_has_exits(const struct probed_image *, size_t k);

/* Whether it is a leaf. Its session may be attached for one process alone: where the kernel hijacks
 * the return address of another, that does no harm. */
bool probed_image_is_leaf(const struct probed_image *, size_t k);
/* Whether some function is one; whether all are whose ends some action sees. */
bool probed_image_has_leaves(const struct probed_image *);
bool probed_image_has_only_leaves(const struct probed_image *);

/* Whether process @pid hits its probes. */
bool probed_image_is_met(const struct probed_image *, uint32_t pid);
/* How calls of zone @k end in a process with flags WIRE_PROC_…. */
enum exit_way probed_image_exit(const struct probed_image *, size_t k, uint32_t flags);

/* Whether nobody runs it any more: engine_forget. */
bool probed_image_is_past(const struct probed_image *);
bool probed_image_is_read(const struct probed_image *);
/* As zonelist_is_harmless(), for an image that was read. */
bool probed_image_is_harmless(const struct probed_image *);

/* What probes are attached with; all borrowed. */
struct probe_tools {
	struct keeper *keeper;
	struct own_code *own;
	struct probemaps *maps;
};

/* Replaces the attached probes by those of @want, without losing a call or counting one twice.
 * Errors with a text; then nothing has changed. */
int probed_image_attach(struct probed_image *, const struct probe_tools *, const struct image *,
			const struct probe_set *want);
void probed_image_release(struct probed_image *);

#endif
