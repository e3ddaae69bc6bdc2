/*
 * wait_paths: the stacks of each thread as a tree of the functions of its program, without frames
 * of the kernel: where each thread waited and where it worked. For wait_class, which decides by it
 * what a wait was.
 */
#ifndef QUERY_WAIT_PATHS_H
#define QUERY_WAIT_PATHS_H

#include "model/profile.h"

/* A call path of one thread: samples in it, and in all below it. Counts are of samples. */
struct wait_path {
	uint32_t parent;   /* smaller than its own number; of a thread's root its own number */
	uint32_t root;	   /* of its thread */
	uint32_t function; /* 0: a thread's root */
	uint32_t first_child, next_sibling; /* 0: none */
	uint32_t stacks;		    /* of a root: different stacks of its thread */
	bool waited;			    /* a wait has exactly this stack */
	bool counted;			    /* in stacks */
	bool lock;			    /* in a function that takes a lock, or below it */
	bool scheduler;			    /* in a runtime's own scheduler, or below it */
	uint32_t direct;		    /* waits that this function's own calls began */
	uint32_t own_work;		    /* the thread ran in this function itself */
	uint32_t own_calls;		    /* it ran in system calls of this function */
	/* How often the thread came to this path, and to the direct waits, from another call or
	 * work of the same function. */
	uint32_t turns, direct_turns;
	/* Of all below, too. */
	uint32_t waits, polls; /* waits; of them, in poll or epoll */
	uint32_t work;	       /* it ran */
	uint32_t apart;	       /* the same without system calls of functions that lead to a wait */
	uint64_t first_ns, last_ns; /* of waits and of work */
	uint64_t first_wait_ns;	    /* end of the first wait */
	uint64_t last_wait_ns, last_work_ns;
	/* Of the direct waits. */
	uint64_t direct_first_ns, direct_last_ns;
};

/* What a row of samples is. */
enum wait_row {
	WAIT_ROW_NONE,	/* of no value */
	WAIT_ROW_WORK,	/* the thread ran, or could have run */
	WAIT_ROW_CLEAR, /* a wait that is never idle, whatever else the thread does */
	WAIT_ROW_LOCK,	/* a wait for a lock that another thread holds */
	WAIT_ROW_OPEN,	/* a wait whose stack tells what it was */
};

struct wait_paths {
	VEC(struct wait_path) at; /* row 0: none */
	uint32_t *site;		  /* per sample: the path that waited or ran; 0: unknown */
	uint8_t *row;		  /* per sample: enum wait_row */
};

/* The paths of all samples of the profile. Stacks beyond a limit, which only a forged file has, get
 * site 0. */
void wait_paths_init(struct wait_paths *, const struct profile *);
void wait_paths_release(struct wait_paths *);

#endif
