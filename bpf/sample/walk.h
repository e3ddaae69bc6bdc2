/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk: walks the user stack of the current task, by the rules from its files' call frame
 * information, and by frame pointer through code without any.
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
#include "sample/script_state.h"

/* A stack to send: the record and room for its frames. */
struct stack_buffer {
	struct wire_stack head;
	__u64 frames[WIRE_USER_FRAMES];
};

/* Words of stack memory to read at once: a frame's two words are near those of its caller, and the
 * cost of a read hardly depends on its length. A power of two. */
#define WALK_WINDOW 64

/* The scratch of a walk, in one per-CPU map per program type: a sample may interrupt a probe. */
struct walk {
	struct stack_buffer out;
	__u64 registers[32]; /* of the innermost frame, by DWARF number; 16 is rip; rest unused */
	struct step_regs at;
	__u32 depth;	/* frames found so far */
	struct vma vma; /* of the previous frame, likely of this one too */
	/* Set by whose scratch it is: code in the kernel, if it is on the stack, then the user
	 * stack is not walked, as the thread has nothing to do with what happens. Else 0. */
	__u64 foreign_from, foreign_to;
	/* Not for the walk itself, but for its callers afterwards. */
	struct vma stack;
	struct uretprobe_origins origins;
	struct walk_code code; /* of the previous frame, likely of this one too */
	bool guessed; /* the last step was by frame pointer, or by a rule that is a guess */
	/* Of the frame that the current step leaves; not on BPF's stack, of which older kernels
	 * have little. */
	bool was_guessed;
	__u64 was_sp;
	struct table_rule rule; /* of the current step */
	__u64 memo_tag;
	struct script script;
	struct stack_buffer chain; /* of script frames, for a slice */
	__u32 chain_depth;	   /* 0: there is none */
	struct trails trails;
	__u64 window_at;    /* stack address of the contents of window */
	__u32 window_words; /* WALK_WINDOW, or 0: window is empty */
	__u64 window[WALK_WINDOW];
	struct vma_node room;
};

/* Walks from @walk's registers, for the sample of the pid and time in its out; sets the frames,
 * depth, left_out and end of its out. Returns 0 at once if @walk is NULL, for the verifier, which
 * checks this function once for all callers. */
int walk_user(struct walk *walk);

/* The slot of frame @number: the outermost frames of a deep stack are kept in a ring. */
static __always_inline __u64 *stack_slot(struct stack_buffer *to, __u32 number)
{
	const __u32 tail = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;

	if (number >= tail)
		number = tail + (number - tail) % WIRE_TAIL_FRAMES;
	return &to->frames[number & (WIRE_USER_FRAMES - 1)];
}

static __always_inline __u64 *walk_slot(struct walk *walk, __u32 number)
{
	return stack_slot(&walk->out, number);
}

static __always_inline void walk_keep(struct walk *walk, __u64 word)
{
	*walk_slot(walk, walk->depth++) = word;
}

/* Says how many frames there are, and how many were left out. The outermost of too many are in a
 * ring; user space orders them (wire.h). */
static __always_inline void walk_tell(struct walk *walk)
{
	const __u32 depth = walk->depth;

	walk->out.head.depth = depth < WIRE_USER_FRAMES ? depth : WIRE_USER_FRAMES;
	walk->out.head.left_out = depth - walk->out.head.depth;
}

/* Finds the frames of the script that the current thread runs, when the walk first meets the
 * interpreter, at @address in walk->vma; sets walk->script. Returns 0, as the next two do; NULL as
 * for walk_user(). */
int script_begin(struct walk *walk, __u64 address);
/* Keeps what that found of the process for what looks at it otherwise than by a walk that meets the
 * interpreter. */
int script_remember(struct walk *walk);
/* One round of script frames, while walk->script.mode is not SCRIPT_NATIVE. */
int script_round(struct walk *walk);
/* The same while it is SCRIPT_AWAIT: a task, or anything else of the chain. Two functions, as Linux
 * 6.1 has little of BPF's stack left there. */
int script_async_task(struct walk *walk);
int script_async(struct walk *walk);

static __always_inline void script_one(struct walk *walk)
{
	if (walk->script.mode != SCRIPT_AWAIT)
		script_round(walk);
	else if (walk->script.async.step == ASYNC_TASK)
		script_async_task(walk);
	else
		script_async(walk);
}

/* Sets walk->script.by_pointer. */
int script_look(struct walk *walk);
/* The walk of a process with V8 leaves a frame by its frame pointer: if V8 made it, gives the
 * function that it runs in its place, or returns 1 if that is new: then script_tell() does. */
int script_tell(struct walk *walk);
int script_frame(struct walk *walk);
/* Sets walk->chain to the script frames of the current thread, for a stack that the loader walks;
 * whatever the walk has found of them. */
int script_chain(struct walk *walk);
/* Behind a walk that ended before the thread's first frame: adds the rest of the script's frames,
 * whose loops it did not get to, behind a note. */
int script_rest(struct walk *walk);
/* Of CPython before 3.11, whose frames were put in the places of the loops from the innermost on:
 * corrects that, at the walk's end. */
int script_settle(struct walk *walk);
/* Of a language whose frames follow the native ones: begins, adds one, ends. */
int script_pair_begin(struct walk *walk);
int script_pair_round(struct walk *walk);
int script_pair_end(struct walk *walk);

#endif
