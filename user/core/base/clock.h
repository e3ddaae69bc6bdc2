/*
 * clock: reads the kernel's clocks in nanoseconds, and accounts for shares of time.
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

/* A share of the loader's time: so much at once, refilled as time passes. */
struct share_rate {
	int64_t most_ns; /* at once */
	int64_t percent; /* of the time that passes: what is added */
};

struct share {
	const struct share_rate *rate;
	int64_t left_ns; /* negative: more was taken than there was */
	uint64_t at_ns;	 /* when left_ns was computed */
};

/* A full share; @rate is borrowed. */
static inline void share_open(struct share *s, const struct share_rate *rate, uint64_t now_ns)
{
	*s = (struct share){rate, rate->most_ns, now_ns};
}

/* Adds what is due since the last time; whether anything is left. */
static inline bool share_refill(struct share *s, uint64_t now_ns)
{
	const uint64_t passed = now_ns > s->at_ns ? now_ns - s->at_ns : 0;
	/* An hour at most, so that the product fits. */
	const int64_t ns = passed < UINT64_C(1) << 42 ? (int64_t)passed : INT64_C(1) << 42;

	s->left_ns += ns * s->rate->percent / 100;
	if (s->left_ns > s->rate->most_ns)
		s->left_ns = s->rate->most_ns;
	s->at_ns = now_ns;
	return s->left_ns > 0;
}

#endif
