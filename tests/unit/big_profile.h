/*
 * big_profile: a profile of as many stacks and samples as one likes, the same each time: for the
 * benchmark of exports and for their tests. 20 frames a stack on average, 10,000 functions of 100
 * modules, with source lines; a fifth of the frames is inlined; 64 threads of 4 processes.
 */
#ifndef TESTS_BIG_PROFILE_H
#define TESTS_BIG_PROFILE_H

#include "model/meta.h"
#include "model/profile.h"

#define BIG_FUNCTIONS 10000
#define BIG_MODULES   100
#define BIG_THREADS   64
#define BIG_PERIOD    1000000 /* ns */

/* Knuth's: the same everywhere. */
static inline uint32_t big_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % below);
}

static inline void big_names(struct profile *p)
{
	for (uint32_t i = 0; i < BIG_MODULES; i++) {
		_free_ char *path = mem_printf("/usr/lib/x86_64-linux-gnu/libpart%u.so.1", i);
		_free_ char *id = mem_printf("%040x", i * 2654435761u);

		profile_module(p, path, id);
	}
	for (uint32_t i = 0; i < BIG_FUNCTIONS; i++) {
		_free_ char *name = mem_printf("part%u::component<int, long>::handle_request_%u("
					       "std::string const&)",
					       i % BIG_MODULES, i);
		_free_ char *file =
			mem_printf("src/part%u/component_%u.cc", i % BIG_MODULES, i % 1000);
		const struct function f = {.name = intern_add(&p->strings, name),
					   .file = intern_add(&p->strings, file),
					   .line = 1 + i % 5000,
					   .module = 1 + i % BIG_MODULES,
					   .named = 1};

		profile_function(p, &f);
	}
	for (uint32_t i = 0; i < BIG_THREADS; i++) {
		_free_ char *name = mem_printf("worker-%u", i);

		profile_thread(p, &(struct thread){.pid = 100 + i / 16 * 16,
						   .tid = 100 + i,
						   .name = intern_add(&p->strings, name),
						   .process = intern_add(&p->strings, "server")});
	}
}

static inline uint32_t big_node(struct profile *p, uint32_t node, uint64_t *random)
{
	const uint32_t function = 1 + big_random(random, BIG_FUNCTIONS);
	const struct frame frame = {.function = function,
				    .line = p->functions.at[function].line + big_random(random, 8),
				    .inlined = node && !big_random(random, 5)};

	return profile_node(p, node, profile_frame(p, &frame));
}

/* Leaves of stacks: each leaves an earlier one some frames above its end and goes another way. */
static inline uint32_t *big_stacks(struct profile *p, size_t stacks, uint64_t *random)
{
	uint32_t *leaves = mem_zalloc(stacks, sizeof(*leaves));

	for (size_t i = 0; i < stacks; i++) {
		uint32_t node = i ? leaves[big_random(random, (uint32_t)i)] : 0;
		const uint32_t up = i ? 1 + big_random(random, 6) : 0;

		for (uint32_t k = 0; k < up; k++)
			node = p->nodes.at[node].parent;
		for (uint32_t k = i ? 1 + big_random(random, 6) : 20; k--;)
			node = big_node(p, node, random);
		leaves[i] = node;
	}
	return leaves;
}

static inline struct profile *big_profile(size_t stacks, size_t samples)
{
	struct profile *p = profile_new();
	uint64_t random = 1;
	_free_ uint32_t *leaves = NULL;

	profile_metric_base(p, profile_metric(p, "cpu-clock", "ns", METRIC_SUM), METRIC_ON_CPU);
	big_names(p);
	leaves = big_stacks(p, stacks, &random);
	for (size_t i = 0; i < samples; i++) {
		const uint32_t stack =
			i < stacks ? (uint32_t)i : big_random(&random, (uint32_t)stacks);

		profile_sample(p, i * BIG_PERIOD / 16, stack % BIG_THREADS, leaves[stack],
			       &(int64_t){BIG_PERIOD});
	}
	profile_set_run(p, RUN_COMMAND, "server --all");
	profile_set_run(p, RUN_EVENTS, "cpu-clock at 1000 Hz");
	profile_set_meta(p, META_VERSION, "1");
	p->started_unix_ns = INT64_C(1772366400000000000);
	p->duration_ns = (int64_t)(samples * BIG_PERIOD / 16);
	p->hz = 1000;
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", (int64_t)samples);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", (int64_t)samples);
	return p;
}

#endif
