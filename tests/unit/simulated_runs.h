/*
 * simulated_runs: runs of a program of which the truth is known, on a host whose speed changes from
 * run to run: a sample a millisecond, drawn at random. For tests of how often a comparison is
 * right; each seed gives the same runs everywhere.
 */
#ifndef TESTS_SIMULATED_RUNS_H
#define TESTS_SIMULATED_RUNS_H

#include "diff_runs.h"

#define SIMULATED_PARTS 4

struct simulated {
	size_t samples; /* of a run at the host's usual speed */
	size_t small;	/* further functions, together a fifth of the program */
	double own;	/* deviation of each function's time from run to run, relative */
	double host;	/* the same of the host's speed */
	double slower;	/* the host is so many times slower in all of these runs */
	double part;	/* part_2() has so many times its work */
	bool leaf;	/* the parts spend their time in one function that all call */
	bool whole; /* a command from its start to its end; else a capture as long as the others */
};

/* Four parts with a fifth of the time each; every other small function is called by part_1(). */
static inline size_t simulated_stacks(struct chance *c, const struct simulated *s,
				      struct stack *stacks, char (*text)[64])
{
	size_t n = 0;

	for (; n < SIMULATED_PARTS; n++) {
		snprintf(text[n], sizeof(text[n]), "_start;main;part_%zu%s", n,
			 s->leaf ? ";leaf" : "");
		stacks[n] = (struct stack){text[n], n == 2 && s->part > 0 ? s->part : 1};
	}
	for (size_t i = 0; i < s->small; i++, n++) {
		snprintf(text[n], sizeof(text[n]), "_start;main;%ssmall_%zu",
			 i % 2 ? "part_1;" : "", i);
		stacks[n] = (struct stack){text[n], 1. / (double)s->small};
	}
	for (size_t i = 0; i < n; i++)
		stacks[i].samples *= exp(s->own * chance_normal(c));
	return n;
}

static inline struct profile *simulated_run(struct chance *c, const struct simulated *s)
{
	struct profile *p = made_sample_profile(s->whole);
	const double speed = exp(s->host * chance_normal(c)) * (s->slower > 0 ? s->slower : 1);
	const double usual = SIMULATED_PARTS + (s->small ? 1 : 0);
	char text[64][64];
	struct stack stacks[64];
	const size_t n = simulated_stacks(c, s, stacks, text);
	uint32_t node[64];
	double work = 0;
	uint64_t count;

	for (size_t i = 0; i < n; i++) {
		work += stacks[i].samples;
		node[i] = node_of(p, stacks[i].path);
	}
	count = (uint64_t)((double)s->samples * (s->whole ? work / usual * speed : 1));
	for (uint64_t ms = 0; ms < count; ms++) {
		double at = chance_uniform(c) * work;
		size_t f = 0;

		while (f + 1 < n && at >= stacks[f].samples)
			at -= stacks[f++].samples;
		made_sample(p, ms, node[f]);
	}
	p->duration_ns = (int64_t)count * 1000000;
	return p;
}

#endif
