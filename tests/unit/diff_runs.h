/*
 * diff_runs: runs of known stacks, for the tests of diffs.
 */
#ifndef TESTS_DIFF_RUNS_H
#define TESTS_DIFF_RUNS_H

#include <string.h>

#include "compare_runs.h"

/* A stack "a;b;c" of functions below the thread, with so many samples of 1 ms. */
struct stack {
	const char *path;
	double samples;
};

static inline uint32_t node_of(struct profile *p, const char *path)
{
	char name[64];
	uint32_t node = 0;

	while (*path) {
		const size_t n = strcspn(path, ";");

		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		node = made_node(p, node, name);
		path += n + (path[n] == ';');
	}
	return node;
}

/* Samples as numbers, evenly over the time: stack after stack would be bursts. */
static inline struct profile *exact_run(const struct stack *stacks, size_t n, bool whole)
{
	struct profile *p = made_sample_profile(whole);
	double left[16];
	uint64_t ms = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		left[i] = stacks[i].samples;
		all += (uint64_t)stacks[i].samples;
	}
	for (double due[16] = {0}; ms < all; ms++) {
		size_t best = 0;

		for (size_t i = 0; i < n; i++) {
			due[i] += stacks[i].samples / (double)all;
			if (left[i] > 0 && (due[i] > due[best] || !(left[best] > 0)))
				best = i;
		}
		due[best]--;
		left[best]--;
		made_sample(p, ms, node_of(p, stacks[best].path));
	}
	p->duration_ns = (int64_t)all * 1000000;
	return p;
}

#endif
