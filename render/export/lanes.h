/*
 * lanes: the samples of a profile thread by thread, each thread's in order of time. For exports
 * that show when something ran.
 */
#ifndef EXPORT_LANES_H
#define EXPORT_LANES_H

#include "model/profile.h"

struct lanes {
	uint32_t *rows; /* of samples */
	uint32_t *ends; /* per thread: where its rows end; the next thread's begin there */
	size_t n;	/* threads */
};

/* One thread's rows. */
struct lane {
	const uint32_t *rows;
	size_t n;
};

void lanes_build(const struct profile *, struct lanes *out);
void lanes_release(struct lanes *);
struct lane lane_of(const struct lanes *, size_t thread);

/* The sum of a metric over a lane, and how many rows have a value of it. */
int64_t lane_sum(const struct profile *, struct lane, uint32_t metric, size_t *samples);
/* "sqlite3 4711", and in a profile of several metrics the one it is of: " (blocked)". Freed by the
 * caller. */
char *lane_name(const struct profile *, size_t thread, uint32_t metric);

/* The end of the innermost slice (function 0), or the begin of one in it. */
typedef void slices_change(void *data, uint64_t time_ns, uint32_t function);

/* Calls @change for each, in order of time; as many begin as end. */
void slices_walk(const struct profile *, struct lane, slices_change *change, void *data);

#endif
