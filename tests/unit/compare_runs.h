/*
 * compare_runs: runs of a made-up program as profiles, for the tests of comparisons: zones and
 * samples with a known spread from run to run, drawn from a generator of our own, so that each seed
 * gives the same runs everywhere.
 */
#ifndef TESTS_COMPARE_RUNS_H
#define TESTS_COMPARE_RUNS_H

#include <math.h>
#include <stdio.h>

#include "model/meta.h"
#include "model/profile.h"

/* xorshift64*: Vigna (2016). */
struct chance {
	uint64_t state;
};

static inline double chance_uniform(struct chance *c)
{
	c->state ^= c->state >> 12;
	c->state ^= c->state << 25;
	c->state ^= c->state >> 27;
	return (double)((c->state * 2685821657736338717u) >> 11) / 9007199254740992.;
}

/* A standard normal value: Box and Muller (1958). */
static inline double chance_normal(struct chance *c)
{
	const double r = sqrt(-2 * log(1 - chance_uniform(c)));

	return r * cos(2 * M_PI * chance_uniform(c));
}

/* --- zones ------------------------------------------------------------------------------------ */

struct made_zones {
	size_t n;
	double noise;  /* deviation of each zone's mean from run to run, relative */
	double common; /* of all zones of a run together */
	uint64_t calls;
	/* Zone @changed takes @factor times as long; the same, of its calls. */
	size_t changed;
	double factor, calls_factor;
	bool whole; /* a command from its start to its end: compared by run */
};

static inline struct profile *made_profile(bool whole)
{
	struct profile *p = profile_new();

	p->duration_ns = 10000000000;
	profile_set_meta(p, META_CPU_FINGERPRINT, "GenuineIntel-6-79-1");
	profile_set_meta(p, META_ARCH, "x86_64");
	profile_set_run(p, RUN_COMMAND, "/usr/bin/made 1");
	profile_set_run(p, RUN_TARGET, whole ? "-- made 1" : "-p 4711");
	profile_set_run(p, RUN_END, whole ? "the command's exit with status 0" : "Ctrl-C");
	return p;
}

/* The time of zone @i in ns: 1 µs to 1 ms. */
static inline double made_mean(size_t i)
{
	return 1000. * pow(10, (double)(i * 37 % 100) / 33);
}

/* A run; calls vary by as much as their mean. */
static inline struct profile *made_zone_run(struct chance *c, const struct made_zones *m)
{
	struct profile *p = made_profile(m->whole);
	const uint32_t module = profile_module(p, "/usr/bin/made", "0a1b");
	const double common = exp(m->common * chance_normal(c));

	profile_add_part(p, PART_ZONES);
	for (size_t i = 0; i < m->n; i++) {
		const bool changed = i == m->changed;
		const double calls =
			(double)m->calls * (changed && m->calls_factor > 0 ? m->calls_factor : 1);
		const double slower = changed && m->factor > 0 ? m->factor : 1;
		const double mean = made_mean(i) * common * slower *
				    exp(m->noise * chance_normal(c)) *
				    (1 + chance_normal(c) / sqrt(calls));
		struct zone z = {.counts = (uint64_t)calls, .module = module};
		char name[32];

		snprintf(name, sizeof(name), "zone_%zu", i);
		z.name = intern_add(&p->strings, name);
		z.total_ns = (int64_t)(mean * calls);
		z.self_ns = z.total_ns;
		zone_set_calls(&z, z.counts, (uint64_t)z.total_ns,
			       (zone_squares)(2 * mean * mean) * z.counts, (int64_t)(mean / 2),
			       (int64_t)(mean * 2));
		profile_zone(p, &z);
	}
	return p;
}

/* --- samples ---------------------------------------------------------------------------------- */

struct made_samples {
	size_t functions; /* below main(), function i with weight 1 / (i + 1) */
	size_t samples;
	size_t burst;	/* so many samples one after the other are of one function */
	double noise;	/* deviation of each weight from run to run, relative */
	size_t changed; /* weight of this one times factor; the run is as much longer */
	double factor;
	const char *renamed; /* what it is called; NULL: as ever */
	bool whole;
};

static inline uint32_t made_function(struct profile *p, const char *name, const char *module)
{
	struct function f = {.named = 1};

	f.name = intern_add(&p->strings, name);
	f.module = profile_module(p, module, "0a1b");
	return profile_function(p, &f);
}

static inline uint32_t made_node(struct profile *p, uint32_t parent, const char *name)
{
	const uint32_t f = made_function(p, name, "/usr/bin/made");

	return profile_node(p, parent, profile_frame(p, &(struct frame){.function = f}));
}

/* A profile that is ready for samples of cpu-clock, of 1 ms each. */
static inline struct profile *made_sample_profile(bool whole)
{
	struct profile *p = made_profile(whole);
	struct thread t = {.pid = 7, .tid = 7};

	profile_add_part(p, PART_SAMPLES);
	t.name = t.process = intern_add(&p->strings, "made");
	profile_thread(p, &t);
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_metric_base(p, 0, METRIC_ON_CPU);
	return p;
}

static inline void made_sample(struct profile *p, uint64_t ms, uint32_t node)
{
	profile_sample(p, ms * 1000000, 0, node, (const int64_t[]){1000000});
}

static inline struct profile *made_sample_run(struct chance *c, const struct made_samples *m)
{
	struct profile *p = made_sample_profile(m->whole);
	double weight[512], sum = 0, plain = 0;
	uint32_t node[512];
	const uint32_t top = made_node(p, 0, "main");
	size_t n;

	for (size_t i = 0; i < m->functions; i++) {
		const bool changed = i == m->changed && m->factor > 0;
		char name[32];

		snprintf(name, sizeof(name), "function_%zu", i);
		weight[i] = exp(m->noise * chance_normal(c)) / (double)(i + 1);
		plain += weight[i];
		weight[i] *= changed ? m->factor : 1;
		sum += weight[i];
		node[i] = made_node(p, top, changed && m->renamed ? m->renamed : name);
	}
	n = (size_t)((double)m->samples * sum / plain);
	for (size_t i = 0; i < n;) {
		double at = chance_uniform(c) * sum;
		size_t f = 0;

		while (f + 1 < m->functions && at >= weight[f])
			at -= weight[f++];
		for (size_t k = 0; k < m->burst && i < n; k++, i++)
			made_sample(p, i, node[f]);
	}
	p->duration_ns = (int64_t)n * 1000000;
	return p;
}

#endif
