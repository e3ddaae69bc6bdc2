/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk: the user stack of the current task, by the rules of its files' call frame information,
 * and by frame pointer through code that has none.
 */
#ifndef SAMPLE_WALK_H
#define SAMPLE_WALK_H

#include "shared.h"
#include "sample/uretprobe.h"
#include "sample/vma.h"
#include "sample/table.h"
#include "sample/regs.h"
#include "sample/trail.h"
#include "sample/walk_code.h"

/* A stack on its way: the record and the room for its frames. */
struct stack_buffer {
	struct wire_stack head;
	__u64 frames[WIRE_USER_FRAMES];
};

/* Words of stack memory that are read at once: a frame's two words are near those of its caller,
 * and a read costs much the same whatever its length. A power of two. */
#define WALK_WINDOW 64

/* All that a walk needs, in a per-CPU map of the program kind: a sample may interrupt a probe. */
struct walk {
	struct stack_buffer out;
	__u64 registers[32]; /* of the innermost frame, by DWARF number; 16 is rip; rest unused */
	struct step_regs at;
	__u32 depth;	/* frames found so far */
	struct vma vma; /* of the frame before, likely of this one too */
	/* For who asks for them, after the walk. */
	struct vma stack;
	struct uretprobe_origins origins;
	struct walk_code code;	/* of the frame before, likely of this one too */
	bool guessed;		/* the last step was by frame pointer, or a rule that is a guess */
	struct table_rule rule; /* of the step under way */
	__u64 memo_tag;
	struct trails trails;
	__u64 window_at;    /* stack memory at that address stands in window */
	__u32 window_words; /* WALK_WINDOW, or 0: none does */
	__u64 window[WALK_WINDOW];
	struct vma_node room;
};

/* From @walk's registers to the frames, depth, left_out and end of its out. Ends of 0 at once where
 * @walk is NULL, for the verifier, which goes through it once for all callers. */
int walk_user(struct walk *walk);

#endif
