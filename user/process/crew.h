/*
 * crew: runs tasks in worker processes that are confined before they read untrusted files, since
 * eprof runs as root. A worker takes a batch of tasks, and there are as many workers as CPUs. When
 * one dies, its unfinished tasks are retried in a process each, so that only the culprit is lost.
 */
#ifndef SYMBOL_CREW_H
#define SYMBOL_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct crew_task {
	uint64_t cost;	       /* in units of the caller's, to deal them out evenly */
	bool late;	       /* comes after those that do not */
	unsigned int cpu_s;    /* that it may use */
	uint64_t output_bytes; /* that it may write */
	bool done;	       /* answered */
	bool failed;	       /* a child died of it, or none could be started */
};

struct crew_fds {
	VEC(int) at;
};
/* Nothing for a negative one. */
void crew_keep(struct crew_fds *, int fd);

/* Called every so often while children work. */
struct crew_wait {
	bool (*goes_on)(void *context); /* false: what is not done by then is left */
	void *context;
};

struct crew {
	struct crew_task *tasks;
	size_t n;
	/* In the child, first: the descriptors that open() will need. */
	void (*needs)(void *context, size_t task, struct crew_fds *);
	/* In the child, with all rights: opens what there is to read, and tells which descriptors
	 * run() needs. Called for all tasks of the child before it gives up its rights. */
	void (*open)(void *context, size_t task, struct crew_fds *);
	/* In the child, without rights: does the work, appends its answer to @out_fd. A negative
	 * errno ends the child. */
	int (*run)(void *context, size_t task, int out_fd);
	/* In the parent: reads one answer from the head of @n bytes (aligned to 4), and checks it:
	 * they come from a process that a hostile file may have taken over. The bytes that it took,
	 * a multiple of 4, and *@task; 0: there is no whole and right one. */
	size_t (*read)(void *context, const void *bytes, size_t n, uint32_t *task);
	/* In the parent: the answer read last is for @task, which had none. False: it does not
	 * answer it. */
	bool (*take)(void *context, size_t task);
	void *context;
	const struct crew_wait *wait; /* NULL: nobody minds how long it takes */
	bool given_up;
};

/* How many children run at once. */
unsigned int crew_width(void);

/* Runs all tasks. One that is neither done nor failed was given up. */
void crew_run(struct crew *);

#endif
