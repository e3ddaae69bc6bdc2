/* SPDX-License-Identifier: GPL-2.0 */
/*
 * async_state: what a walk knows of the task of asyncio that the thread runs, and of the tasks that
 * wait for it (script_async.h).
 */
#ifndef SAMPLE_ASYNC_STATE_H
#define SAMPLE_ASYNC_STATE_H

#include "kernel.h"

/* Tasks of a chain, coroutines of each, and of all of them, that are followed; powers of two. Real
 * programs have fewer. */
#define ASYNC_TASKS	 8
#define ASYNC_COROUTINES 32
#define ASYNC_FRAMES	 64

/* Words of a task that are read at once. */
#define ASYNC_TASK_WORDS 6

/* What the next round does. */
enum async_step {
	ASYNC_TASK,	 /* names the task that was read, and finds what waits for it */
	ASYNC_MEMBER,	 /* looks in a set of tasks for its only member */
	ASYNC_READ,	 /* reads the next task */
	ASYNC_COROUTINE, /* goes from a coroutine to the one that it awaits */
	ASYNC_EMIT,	 /* adds a coroutine to the stack */
};

struct async_coroutine {
	__u64 code, instruction;
};

struct async_walk {
	__u64 frame;   /* of the coroutine of the task that runs; 0: none */
	__u64 at;      /* the task, coroutine or set's table to look at next */
	__u32 here;    /* 1: the run that was found ends in that frame */
	__u32 step;    /* enum async_step */
	__u32 outcome; /* enum wire_async_outcome */
	__u32 tasks;   /* tasks so far that wait */
	__u32 frames;  /* coroutines so far, of all tasks */
	__u32 wrapped; /* 1: .at is what something awaits in place of a coroutine */
	__u32 found;   /* coroutines of the task: the outermost first */
	__u32 left;    /* slots of the set that were not looked at */
	__u64 task[ASYNC_TASK_WORDS];
	struct async_coroutine coroutines[ASYNC_COROUTINES];
};

#endif
