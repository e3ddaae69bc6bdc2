/*
 * crew_work: what worker processes do, and what is sent to and taken from them.
 */
#ifndef CREW_CREW_WORK_H
#define CREW_CREW_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

#define CREW_FILES 16 /* of a task, at most */

/* What a task has, in the worker process. */
struct crew_request {
	const void *bytes; /* aligned as malloc(3) does */
	size_t n;
	const int *fds; /* as they were given; -1: there was none */
	size_t n_fds;
	uint32_t task;
	int out_fd; /* to append its answer to */
};

/* What is done in worker processes. */
struct crew_service {
	/* What the common bytes of all tasks mean; NULL: it cannot be had. */
	void *(*begin)(const void *bytes, size_t n);
	/* Does one task. A negative errno ends the worker. */
	int (*run)(void *begun, const struct crew_request *);
};

struct crew_task {
	uint64_t cost;	/* in units of the caller's: what costs more of one user comes later */
	uint32_t user;	/* whose time it is */
	uint64_t owner; /* tasks of one may share a process */
	bool late;	/* comes after all others of its user */
	unsigned int cpu_s, cpu_most_s; /* that it may use: at first, and when it has read much */
	uint64_t bytes_per_s;		/* read, for which it may use one more; 0: it may not */
	uint64_t output_bytes;		/* that it may write */
	bool done;			/* answered */
	bool failed;			/* a worker died of it, or none could be started */
	bool ran_out;			/* failed: of its time */
	bool refused;			/* failed: of the time of its user's files */
};

/* What is sent for a task. */
struct crew_ask {
	struct str bytes;
	VEC(int) fds;
	VEC(int) own; /* of them: closed when they were sent */
};
/* The next file is @fd, or -1, none; it stays the caller's. */
void crew_lend(struct crew_ask *, int fd);
/* The same, and is closed. */
void crew_give(struct crew_ask *, int fd);

/* Called every so often while workers work. */
struct crew_wait {
	bool (*goes_on)(void *context); /* false: what is not done by then is left */
	void *context;
};

struct crew {
	const struct crew_service *service; /* static const */
	struct crew_task *tasks;
	size_t n;
	struct str common; /* the caller's */
	/* Says what to send for a task, when its turn has come. */
	void (*ask)(void *context, size_t task, struct crew_ask *);
	/* Reads one answer from the head of @n bytes (aligned to 4), and checks it: they come from
	 * a process that a hostile file may have taken over. The bytes that it took, a multiple of
	 * 4, and *@task; 0: there is no whole and right one. */
	size_t (*read)(void *context, const void *bytes, size_t n, uint32_t *task);
	/* The answer read last is for @task, which had none. False: it does not answer it. */
	bool (*take)(void *context, size_t task);
	void *context;
	const struct crew_wait *wait; /* NULL: nobody minds how long it takes */
	/* How long workers may work for each user, also in other runs: a task is not begun, or
	 * ends with its slice, where nothing is left. NULL: as long as it takes. Borrowed. */
	struct allowance *allowance;
	bool given_up;
};

#endif
