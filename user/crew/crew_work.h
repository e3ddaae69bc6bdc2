/*
 * crew_work: the tasks of worker processes, with what is sent to and received from them.
 */
#ifndef CREW_CREW_WORK_H
#define CREW_CREW_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

#define CREW_FILES 32 /* limit of a task's files */

/* A task as the worker process has it. */
struct crew_request {
	const void *bytes; /* aligned as malloc(3) does */
	size_t n;
	const int *fds; /* in the order given; -1: none */
	size_t n_fds;
	uint32_t task;
	int out_fd; /* takes its answer */
};

/* The functions that run in worker processes. */
struct crew_service {
	/* Parses the bytes that all tasks share; NULL: malformed. */
	void *(*begin)(const void *bytes, size_t n);
	/* Does one task. A negative errno ends the worker. */
	int (*run)(void *begun, const struct crew_request *);
};

struct crew_task {
	uint64_t cost;	/* in the caller's units: a user's more costly tasks come later */
	uint32_t user;	/* whose time it takes */
	uint64_t owner; /* tasks of the same owner may share a process */
	bool late;	/* comes after all other tasks of its user */
	unsigned int cpu_s, cpu_most_s; /* limits: at first, and when it has read much */
	uint64_t bytes_per_s;  /* bytes read for which one more second is allowed; 0: never */
	uint64_t output_bytes; /* limit of its answer */
	bool done;	       /* answered */
	bool failed;	       /* a worker died of it, or none could be started */
	bool ran_out;	       /* failed: it ran out of time */
	bool refused;	       /* failed: its user's allowance was used up */
};

/* What is sent for a task. */
struct crew_ask {
	struct str bytes;
	VEC(int) fds;
	VEC(int) own; /* those of fds to close after sending */
};
/* Adds @fd as the next file, -1 for none; the caller keeps it. */
void crew_lend(struct crew_ask *, int fd);
/* Adds @fd, and closes it after sending. */
void crew_give(struct crew_ask *, int fd);

/* Called repeatedly while workers run. */
struct crew_wait {
	bool (*goes_on)(void *context); /* false: tasks that are not done are given up */
	void *context;
};

struct crew {
	const struct crew_service *service; /* static const */
	struct crew_task *tasks;
	size_t n;
	struct str common; /* owned by the caller */
	/* Fills in what to send for a task; called when it is started. */
	void (*ask)(void *context, size_t task, struct crew_ask *);
	/* Parses and checks one answer at the start of @n bytes (aligned to 4), from a process that
	 * a hostile file may have taken over. Returns its length, a multiple of 4, and *@task; 0:
	 * incomplete or malformed. */
	size_t (*read)(void *context, const void *bytes, size_t n, uint32_t *task);
	/* Accepts the last answer for @task, which had none yet. False: it does not answer it. */
	bool (*take)(void *context, size_t task);
	void *context;
	const struct crew_wait *wait; /* NULL: no limit */
	/* Limits the workers' time for each user, over several runs: a task is not started, or ends
	 * with its slice, once nothing is left. NULL: no limit. Borrowed. */
	struct allowance *allowance;
	bool given_up;
};

#endif
