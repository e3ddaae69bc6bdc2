/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_state: what a walk knows of the frames of scripts (script.bpf.c). An interpreter's loop
 * runs one function of a script after another; its native frames say nothing about them. So the
 * walk puts the script's frames, a run at a time, in the place of the native frame of the loop that
 * runs them.
 *
 * For CPython that needs no symbols: it keeps the entry of each run, a variable, in
 * the loop's own C frame, so the loop is the native frame whose stack memory has the entry's
 * address. A loop without an entry, as one of another interpreter in the same process, stays
 * native.
 *
 * Nothing here holds the process: it reads its own memory at an interrupt, so only what the thread
 * was just changing can be half done, and such a run is cut behind its first frame.
 */
#ifndef SAMPLE_SCRIPT_STATE_H
#define SAMPLE_SCRIPT_STATE_H

#include "kernel.h"
#include "sample/async_state.h"
#include "wire_script.h"
#include "sample/stack_hash.h"

/* What the next round of the walk does. */
enum script_mode {
	SCRIPT_NATIVE, /* steps to a native frame's caller */
	SCRIPT_BEGIN,  /* finds the thread's state */
	SCRIPT_FIND,   /* looks at one thread's state, whether it is one of this thread */
	SCRIPT_OPEN,   /* reads where the next run begins, from its C frame */
	SCRIPT_SEEK,   /* follows the run to its entry */
	SCRIPT_EMIT,   /* adds a frame of the run to the stack */
	SCRIPT_AWAIT,  /* adds what waits for the task that the run is of (script_async.h) */
	SCRIPT_OBJECT, /* makes the frame object at .at a run */
};

/* Whether the current process runs V8, whose frames are native ones that frame pointers link. */
enum script_by_pointer {
	SCRIPT_POINTER_UNKNOWN,
	SCRIPT_POINTER_NO,
	SCRIPT_POINTER_YES,
};

/* Words of a frame and of a code object that are read at once. */
#define SCRIPT_FRAME_WORDS 10
#define SCRIPT_CODE_WORDS  10
/* A power of two above both. */
#define SCRIPT_WORDS 16

/* Words that are read at once of memory where frames lie one behind another: a power of two. */
#define SCRIPT_WINDOW 64

#define PAGE_SHIFT 12

/* Frames of a run that are remembered while its entry is looked for, and functions whose number is,
 * within one walk: powers of two. */
#define SCRIPT_RUN   128
#define SCRIPT_CODES 16

/* New functions that are sent of one stack: more than most stacks have. Others are sent with the
 * next one. */
#define SCRIPT_NEWS 128

/* Words of what Ruby has of a function, a power of two above RUBY_BODY_WORDS. */
#define SCRIPT_BODY 32

/* Frames of a script that are followed in one walk by script_chain.h: more than real programs
 * have. */
#define SCRIPT_CHAIN 4096

struct script_frame {
	__u64 code, instruction;
};

struct script_number {
	__u64 code, number;
};

struct script {
	__u32 mode;    /* enum script_mode */
	__u32 outcome; /* enum wire_script_outcome */
	__u64 entry;   /* address in the C frame of the loop that runs the run; 0: none */
	__u64 first;   /* the run's innermost frame */
	__u64 at;      /* the frame to look at next */
	__u64 base;    /* pthread_self() of the thread; 0: it has no other states than … */
	__u64 state;   /* … this one, whose frames are still to come; 0: they have begun … */
	__u64 among;   /* … the interpreter whose states are looked at … */
	__u64 cframe;  /* of the run, in versions that have them */
	__u64 outer;   /* the next one */
	__u64 caller;  /* the native frame that follows the run; 0: none is known */
	__u32 left;    /* frames of a run that may still be looked at */
	__u32 torn;    /* 1: the run does not end in its entry */
	struct wire_script_proc proc;
	struct wire_piece key;	  /* of the process: piece is its number, generation its exec, inode
				     when it was born */
	struct two_hashes hashes; /* of the process and window: each function's begin so */
	struct wire_piece asked;  /* in script_procs; .what 0: it is there */
	__u32 by_pointer;	  /* enum script_by_pointer */
	__u32 chained;		  /* 1: frames go to the chain, instead of the stack */
	__u32 found;		  /* frames of the run: the first SCRIPT_RUN are in run … */
	__u32 shown;		  /* … and so many of these are on the stack */
	__u64 rest;		  /* the first frame of the run that is not in run */
	__u64 next;		  /* the frame behind the run */
	__u64 window_at;	  /* address of what is in window; 1: nothing */
	__u32 window_from;	  /* where in it the frame is */
	struct script_frame run[SCRIPT_RUN];
	__u32 news; /* functions sent so far */
	struct script_number numbers[SCRIPT_CODES];
	__u64 frame[SCRIPT_WORDS], code[SCRIPT_WORDS], window[SCRIPT_WINDOW];
	/* Not on BPF's stack, of which Linux 6.1 has little left below a walk. */
	__u64 type, lines;	 /* of a code object: its type, the bytes of its table */
	__u64 text[4];		 /* of a string: length, hash, state */
	__u64 body[SCRIPT_BODY]; /* of a function of Ruby */
	/* Of V8: of the function that is looked at. */
	__u64 info, scope, file, number;
	/* Of languages whose frames do not tell their loops: */
	__u32 has_loops; /* 1: it is one */
	__u64 held;	 /* the native frame of the innermost loop (script_object.h) */
	/* Of those of them whose runs user space pairs with the loops (script_chain.h). */
	__u32 loops;	   /* loops on the native stack */
	__u32 chain_at;	   /* where in the stack its frames begin */
	__u32 chain_head;  /* so many of them are before the ring of the outermost ones */
	__u32 chain_n;	   /* frames so far */
	__u32 chain_runs;  /* runs so far that have ended */
	__u32 chain_whole; /* 1: the outermost frame is found */
	__u32 chain_more;  /* 1: there is a frame at .at */
	struct async_walk async;
};

/* The run that is on the stack is of a task: what waits for that follows. */
static __always_inline void async_start(struct script *s)
{
	s->async.tasks = s->async.frames = 0;
	s->async.outcome = WIRE_ASYNC_WHOLE;
	s->async.step = ASYNC_TASK;
	s->mode = SCRIPT_AWAIT;
}

#endif
