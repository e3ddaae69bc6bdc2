/*
 * zone_profile: the sample profile with zones as a capture would leave them, for the tests of
 * model, store, views, formats and exports. In a capture of 10 s, thread by thread:
 *
 *	sqlite3_step                      100 calls   6 s
 *	  sqlite3VdbeExec                 100 calls   5.5 s
 *	    vdbeRecordCompareInt    1,000,000 calls   1.2 s     shorter than its probes
 *	    pread64                       200 calls   800 ms    a stepped site
 *	    expr_walk                      10 calls   400 ms    calls itself:
 *	      expr_walk                    20 calls   300 ms
 *	dict<…>::find(…)                2,003 calls   1 s       3 unwound, 2 in flight, 1 at start
 *	memcpy                     5 * 2^32 calls               counted only
 *	<wait>                             12 calls   2 s       no function
 *
 * Halves of the calls are equally long, so that means, deviations and percentiles are round.
 */
#ifndef TESTS_ZONE_PROFILE_H
#define TESTS_ZONE_PROFILE_H

#include "model/hist.h"
#include "model/zone_compensate.h"
#include "sample_profile.h"

#define ZONE_FIND "dict<int, std::less<int>, \"x\">::find(int const&)"
#define ZONE_MANY (UINT64_C(5) << 32)

enum { Z_STEP, Z_EXEC, Z_COMPARE, Z_PREAD, Z_WALK, Z_FIND, Z_COPY, Z_WAIT, Z_COUNT };

struct zone_spec {
	const char *name, *file, *module;
	uint32_t line;
	uint8_t site, exit;
	uint64_t timed;
	int64_t shorter, longer; /* ns: half of the calls each */
	int64_t self_shorter, self_longer;
	double inner_ns, outer_ns; /* what its probes cost a call */
};

static const struct zone_spec zone_specs[Z_COUNT] = {
	[Z_STEP] = {"sqlite3_step", "sqlite3.c", "/usr/lib/libsqlite3.so.0", 89031, SITE_EMULATED,
		    EXIT_SESSION, 100, 50000000, 70000000, 5000000, 5000000, 500, 1000},
	[Z_EXEC] = {"sqlite3VdbeExec", "sqlite3.c", "/usr/lib/libsqlite3.so.0", 93120,
		    SITE_EMULATED, EXIT_SESSION, 100, 45000000, 65000000, 21000000, 41000000, 500,
		    1000},
	[Z_COMPARE] = {"vdbeRecordCompareInt", "sqlite3.c", "/usr/lib/libsqlite3.so.0", 86612,
		       SITE_NOP5, EXIT_SESSION, 1000000, 1100, 1300, 1100, 1300, 200, 400},
	[Z_PREAD] = {"pread64", "../sysdeps/pread64.c", "/usr/lib/libc.so.6", 24, SITE_STEPPED,
		     EXIT_RETS, 200, 3000000, 5000000, 3000000, 5000000, 18000, 36000},
	[Z_WALK] = {"expr_walk", "sqlite3.c", "/usr/lib/libsqlite3.so.0", 110200, SITE_EMULATED,
		    EXIT_SESSION, 30, 0, 0, 0, 0, 500, 1000},
	[Z_FIND] = {ZONE_FIND, "foo <v2>.hpp", "/usr/lib/libfoo & bar.so", 7, SITE_EMULATED,
		    EXIT_RETS, 2000, 400000, 600000, 400000, 600000, 500, 1000},
	[Z_COPY] = {"memcpy", "", "/usr/lib/libc.so.6", 0, SITE_EMULATED, EXIT_NONE, 0, 0, 0, 0, 0,
		    0, 300},
	[Z_WAIT] = {"<wait>", "", "", 0, 0, 0, 12, 100000000, 233333333, 100000000, 233333333, 0,
		    0},
};

static inline zone_squares zone_square(int64_t ns)
{
	return (zone_squares)ns * (zone_squares)ns;
}

/* What the kernel would have summed up over calls of which one half takes @a and the other @b. */
static inline void zone_halves(struct zone *z, uint64_t n, int64_t a, int64_t b, int64_t self_a,
			       int64_t self_b)
{
	zone_set_calls(z, n, n / 2 * (uint64_t)(a + b), n / 2 * (zone_square(a) + zone_square(b)),
		       a, b);
	zone_set_self(z, n, n / 2 * (uint64_t)(self_a + self_b),
		      n / 2 * (zone_square(self_a) + zone_square(self_b)), self_a, self_b);
	z->total_ns = z->calls_ns;
}

static inline void zone_add(struct profile *p, const struct zone_spec *s)
{
	struct zone z = {
		.name = intern_add(&p->strings, s->name),
		.src_file = intern_add(&p->strings, s->file),
		.src_line = s->line,
		.counts = s->timed,
		.site_class = s->site,
		.exit_way = s->exit,
		.module = s->module[0] ? profile_module(p, s->module, "0a1b2c3d4e5f") : 0,
		.address = s->line,
		.flags = s->name[0] == '<' ? ZONE_PSEUDO : 0,
	};
	uint32_t row;

	zone_halves(&z, s->timed, s->shorter, s->longer, s->self_shorter, s->self_longer);
	row = profile_zone(p, &z);
	if (!s->longer)
		return;
	profile_zone_hist(p, row, hist_bin((uint64_t)s->longer), s->timed / 2);
	profile_zone_hist(p, row, hist_bin((uint64_t)s->shorter), s->timed / 2);
}

/* 10 calls of 40 ms that make 20 of 15 ms; and what else the table above does not say. */
static inline void zone_odds(struct profile *p)
{
	struct zone *walk = &p->zones.at[Z_WALK], *find = &p->zones.at[Z_FIND];
	struct zone *copy = &p->zones.at[Z_COPY], *wait = &p->zones.at[Z_WAIT];

	zone_set_calls(walk, 30, 700000000, 10 * zone_square(40000000) + 20 * zone_square(15000000),
		       15000000, 40000000);
	zone_set_self(walk, 30, 400000000, 10 * zone_square(10000000) + 20 * zone_square(15000000),
		      10000000, 15000000);
	walk->total_ns = 400000000;
	profile_zone_hist(p, Z_WALK, hist_bin(40000000), 10);
	profile_zone_hist(p, Z_WALK, hist_bin(15000000), 20);
	find->counts += 3;
	find->unwound = 3;
	find->in_flight = 2;
	find->at_start = 1;
	find->cpu_ns = 900000000;
	find->blocked_ns = 80000000;
	find->runnable_ns = 20000000;
	find->minflt = 4242;
	copy->counts = copy->untimed = ZONE_MANY;
	copy->note = intern_add(&p->strings, "no RET and indirect jumps: its end cannot be seen");
	wait->cpu_ns = 1000;
	wait->blocked_ns = 2000000000;
	profile_zone_value(p, Z_FIND, "cycles", 3000000000);
}

static inline uint32_t zone_place(struct profile *p, uint32_t parent, uint32_t zone, uint64_t calls,
				  uint64_t timed, int64_t total, int64_t self)
{
	uint32_t row = profile_zone_edge(p, parent, zone);
	struct zone_edge *e = &p->zone_edges.at[row];

	e->counts += calls;
	e->timed += timed;
	e->total_ns += total;
	e->self_ns += self;
	return row;
}

static inline void zone_tree_add(struct profile *p)
{
	uint32_t step = zone_place(p, 0, Z_STEP, 100, 100, 6000000000, 500000000);
	uint32_t exec = zone_place(p, step, Z_EXEC, 100, 100, 5500000000, 3100000000);
	uint32_t walk;

	zone_place(p, exec, Z_COMPARE, 1000000, 1000000, 1200000000, 1200000000);
	zone_place(p, exec, Z_PREAD, 200, 200, 800000000, 800000000);
	walk = zone_place(p, exec, Z_WALK, 10, 10, 400000000, 100000000);
	zone_place(p, walk, Z_WALK, 20, 20, 300000000, 300000000);
	zone_place(p, 0, Z_FIND, 2003, 2000, 1000000000, 1000000000);
	zone_place(p, 0, Z_COPY, ZONE_MANY, 0, 0, 0);
	zone_place(p, 0, Z_WAIT, 12, 12, 1999999998, 1999999998);
}

/* The rows of zone_edges, as zone_tree_add() adds them. */
enum { E_ROOT, E_STEP, E_EXEC, E_COMPARE, E_PREAD, E_WALK, E_WALK2, E_FIND, E_COPY, E_WAIT };

static inline void zone_threads_add(struct profile *p)
{
	static const uint32_t thread_of[Z_COUNT] = {[Z_FIND] = 1, [Z_COPY] = 2, [Z_WAIT] = 1};
	uint32_t second;

	for (uint32_t i = 0; i < Z_COUNT; i++) {
		const struct zone *z = &p->zones.at[i];
		uint32_t row = profile_zone_thread(p, i, thread_of[i]);

		p->zone_threads.at[row] = (struct zone_in_thread){
			i, thread_of[i], z->counts, z->total_ns, z->self_ns, z->min_ns, z->max_ns};
	}
	/* A second thread for one of them: 30 of the 100 calls. */
	p->zone_threads.at[Z_STEP].counts = 70;
	p->zone_threads.at[Z_STEP].total_ns = 4500000000;
	p->zone_threads.at[Z_STEP].self_ns = 350000000;
	second = profile_zone_thread(p, Z_STEP, 2);
	p->zone_threads.at[second] =
		(struct zone_in_thread){Z_STEP, 2, 30, 1500000000, 150000000, 50000000, 70000000};
}

/* Samples of stacks abcdfe… are in the zones of those functions: 'd' exec, 'e' compare. */
static inline void zone_samples_add(struct profile *p)
{
	size_t row = 0;

	for (size_t i = 0; i < sizeof(sample_stacks) / sizeof(sample_stacks[0]); i++) {
		const char *stack = sample_stacks[i].stack;
		uint32_t edge = strstr(stack, "fe")	     ? E_COMPARE
				: strchr(stack, 'g')	     ? E_PREAD
				: !strncmp(stack, "abcd", 4) ? E_EXEC
							     : 0;

		for (uint32_t n = 0; n < sample_stacks[i].count; n++)
			p->samples.at[row++].zone = edge;
	}
}

/* A zone whose calls all cost the same, whatever times them. */
static inline struct zone_costs zone_alike(double inner, double outer)
{
	const struct zone_cost one = {inner, outer, inner / 10, outer / 20, 0, 0};

	return (struct zone_costs){.session = one, .count = one, .exit = {one, one}};
}

static inline void zones_add(struct profile *p)
{
	struct zone_costs costs[Z_COUNT];

	for (size_t i = 0; i < Z_COUNT; i++) {
		zone_add(p, &zone_specs[i]);
		costs[i] = zone_alike(zone_specs[i].inner_ns, zone_specs[i].outer_ns);
	}
	zone_odds(p);
	zone_tree_add(p);
	zone_threads_add(p);
	profile_set_run(p, RUN_CLOCK, "wall");
	profile_ledger(p, LEDGER_ZONES, LEDGER_TAKEN, "calls begun", (int64_t)ZONE_MANY + 1002447);
	profile_ledger(p, LEDGER_ZONES, LEDGER_KEPT, "calls counted", (int64_t)ZONE_MANY + 1002440);
	profile_ledger(p, LEDGER_ZONES, LEDGER_LOST, "call table full", 7);
	profile_cost(p, "probes", "ns", 5e8);
	zones_finish(p);
	zones_compensate(p, costs);
}

static inline struct profile *zone_profile(void)
{
	struct profile *p = sample_profile();

	zones_add(p);
	zone_samples_add(p);
	return p;
}

/* A capture that asked for zones, of which none was there. */
static inline struct profile *zones_none_profile(void)
{
	struct profile *p = profile_new();

	profile_add_part(p, PART_ZONES);
	profile_set_run(p, RUN_COMMAND, "sleep 10");
	profile_set_run(p, RUN_EVENTS, "zones");
	profile_set_run(p, RUN_CLOCK, "wall");
	p->duration_ns = 10000000000;
	profile_ledger(p, LEDGER_ZONES, LEDGER_TAKEN, "taken", 0);
	profile_ledger(p, LEDGER_ZONES, LEDGER_KEPT, "kept", 0);
	return p;
}

/* Zones and nothing else: no metric, no sample. */
static inline struct profile *zones_only_profile(void)
{
	struct profile *p = profile_new(), *full = sample_profile();

	for (size_t i = 0; i < full->threads.n; i++)
		profile_thread(
			p, &(struct thread){
				   .pid = full->threads.at[i].pid,
				   .tid = full->threads.at[i].tid,
				   .name = intern_add(&p->strings,
						      profile_text(full, full->threads.at[i].name)),
				   .process = intern_add(
					   &p->strings,
					   profile_text(full, full->threads.at[i].process)),
			   });
	profile_set_run(p, RUN_COMMAND, "sqlite3 /tmp/a.db");
	profile_set_run(p, RUN_TARGET, "-p 4711,4800");
	p->duration_ns = full->duration_ns;
	p->started_unix_ns = full->started_unix_ns;
	zones_add(p);
	profile_free(full);
	return p;
}

#endif
