/*
 * clock: the kernel's clocks in nanoseconds, and shares of time.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time, user and system. */
static inline int64_t clock_of_usage(const struct rusage *u)
{
	return ((int64_t)u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000 +
	       ((int64_t)u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

/* A part of the loader's time that somebody may have: so much at once, which refills as time
 * passes.
 */
struct share_rate {
	int64_t most_ns; /* all that may be had at once */
	int64_t percent; /* of the time that passes, by which it refills */
};

struct share {
	const struct share_rate *rate;
	int64_t left_ns; /* negative: more was taken than there was */
	uint64_t at_ns;	 /* when that was so */
};

/* A full one; @rate is borrowed. */
void share_open(struct share *, const struct share_rate *, uint64_t now_ns);
/* What has passed since is added; whether there is any. */
bool share_refill(struct share *, uint64_t now_ns);

#endif
