#include "probe/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "load/counters.h"
#include "perf/drift.h"
#include "probe/calibrator.h"

/* Batches of each function that are timed at first; the median counts. */
#define BATCHES 9

/* Of the calibrator's probes. */
#define GENERATION 1

/* How long to wait for a batch, which takes 1 ms, and in an emulated machine some 100. The last
 * round is not worth a long wait. */
#define FIRST_MS 10000
#define LAST_MS	 20

struct calibration {
	struct probe_session *z;
	struct calibrator process;
	struct calibrated at[CALIBRATE_ZONES];	 /* as timed at first */
	struct calibrated cold[CALIBRATE_ZONES]; /* what a cold call costs more: inner, outer */
	double bare_ns[CALIBRATE_ZONES];	 /* the same calls without probes */
	struct drift drift[CALIBRATE_ZONES]; /* of outer_ns, as a part of what it was at first */
	struct fair *hits;		     /* of probes, by CPU */
	uint64_t asked_hits;		     /* hits when the round under way was asked for */
	uint64_t start_ns, due_ns;	     /* CLOCK_MONOTONIC; 0: not yet */
	int64_t start_cpu_ns;
};

/* --- at first ------------------------------------------------------------------------------- */

/* What the BPF programs have measured: sums over calls, or means. */
struct measured {
	double timed, total_ns, cpu_ns, sys_ns;
};

static struct measured counted(const struct calibration *c, uint32_t number)
{
	struct measured sum = {0};
	const uint32_t zone = probemaps_max_zones(c->z->maps) + number;
	const size_t nodes = probemaps_nodes(c->z->maps);

	/* The nodes before the zone's own are other zones' own: --zones-max of them. */
	for (size_t i = 1 + (size_t)zone; i < nodes; i++) {
		const struct probemaps_live n = probemaps_live(c->z->maps, i);

		if (n.zone != zone)
			continue;
		sum.timed += (double)n.timed;
		sum.total_ns += (double)n.total_ns;
		sum.cpu_ns += (double)n.cpu_ns;
		sum.sys_ns += (double)n.sys_ns;
	}
	return sum;
}

static struct measured of_each(const struct measured *from, const struct measured *to)
{
	double n = to->timed - from->timed;

	if (n <= 0)
		return (struct measured){0};
	return (struct measured){.timed = n,
				 .total_ns = (to->total_ns - from->total_ns) / n,
				 .cpu_ns = (to->cpu_ns - from->cpu_ns) / n,
				 .sys_ns = (to->sys_ns - from->sys_ns) / n};
}

static bool time_one(struct calibration *c, uint32_t number, enum calibrator_calls how, double *ns)
{
	struct calibrator_times times;

	calibrator_ask(&c->process, 1u << number, how);
	if (!calibrator_answer(&c->process, FIRST_MS, &times))
		return false;
	*ns = times.ns[number];
	return true;
}

/* One batch: the mean time of a call by the calibrator's clock, and by the BPF programs. */
static bool time_both(struct calibration *c, uint32_t number, enum calibrator_calls how,
		      double *outer, struct measured *inner)
{
	const struct measured before = counted(c, number);
	struct measured after;

	if (!time_one(c, number, how, outer))
		return false;
	after = counted(c, number);
	*inner = of_each(&before, &after);
	return true;
}

/* Batches of one function, by column. */
struct batches {
	double outer[BATCHES], inner[BATCHES], cpu[BATCHES], sys[BATCHES];
	double more_outer[BATCHES], more_inner[BATCHES]; /* of cold calls */
};

/* Cold and warm batches take turns, since a machine's speed drifts. */
static bool time_batches(struct calibration *c, uint32_t number, struct batches *b)
{
	for (int k = 0; k < BATCHES; k++) {
		struct measured warm, cold;
		double cold_outer;

		if (!time_both(c, number, CALIBRATOR_WARM, &b->outer[k], &warm) ||
		    !time_both(c, number, CALIBRATOR_COLD, &cold_outer, &cold))
			return false;
		b->inner[k] = warm.total_ns;
		b->cpu[k] = warm.cpu_ns;
		b->sys[k] = warm.sys_ns;
		b->more_outer[k] = cold_outer - b->outer[k];
		b->more_inner[k] = cold.total_ns - warm.total_ns;
	}
	return true;
}

static double median(double *values)
{
	return calibrator_median(values, BATCHES);
}

static bool time_first(struct calibration *c, uint32_t number)
{
	struct calibrated *out = &c->at[number], *cold = &c->cold[number];
	struct batches b;
	double warm_up;

	if (!time_one(c, number, CALIBRATOR_WARM, &warm_up) || !time_batches(c, number, &b))
		return false;
	out->outer_ns = fmax(0, median(b.outer) - c->bare_ns[number]);
	out->inner_ns = fmin(median(b.inner), out->outer_ns);
	out->cpu_ns = fmin(median(b.cpu), out->outer_ns);
	out->sys_ns = fmin(median(b.sys), out->cpu_ns);
	out->bpf_runs = CALIBRATE_WAY_OF(number) == EXIT_NONE ? 1 : 2;
	out->known = true;
	cold->outer_ns = fmax(0, median(b.more_outer));
	cold->inner_ns = fmin(fmax(0, median(b.more_inner)), cold->outer_ns);
	return true;
}

/* Whether a probe of this capture can be of that class and way: else it is not timed. Sites on nops
 * that the kernel turns into calls are never used (code/site_kernel.h); where calls are only
 * counted, nothing sees their ends. */
static bool is_of_use(const struct calibration *c, uint32_t number)
{
	const enum exit_way way = CALIBRATE_WAY_OF(number);

	if (CALIBRATE_CLASS_OF(number) == SITE_NOP5)
		return false;
	if (!(c->z->probes.actions & WIRE_WITH_CALLS))
		return way == EXIT_NONE;
	return way != EXIT_SESSION || c->z->sessions;
}

static bool time_all(struct calibration *c)
{
	for (uint32_t i = 0; i < CALIBRATE_ZONES; i++)
		if (is_of_use(c, i) && !time_first(c, i))
			return false;
	return true;
}

/* Once more, with the kernel's run-time statistics on. They make calls dearer, so times of calls
 * are taken without. */
static bool time_programs(struct calibration *c)
{
	int stats = probes_time_programs();
	bool all = true;
	double ns;

	if (stats < 0)
		return true;
	for (uint32_t i = 0; i < CALIBRATE_ZONES && all; i++) {
		struct calibrated *at = &c->at[i];
		struct program_run before = probes_run(&c->z->probes), after;

		if (!at->known)
			continue;
		all = time_one(c, i, CALIBRATOR_WARM, &ns);
		after = probes_run(&c->z->probes);
		if (after.runs > before.runs)
			at->bpf_ns = at->bpf_runs * (double)(after.ns - before.ns) /
				     (double)(after.runs - before.runs);
	}
	close(stats);
	return all;
}

static bool start_process(struct calibration *c)
{
	const struct calibrator_probes probes = {.probes = &c->z->probes,
						 .sessions = c->z->sessions,
						 .first = probemaps_max_zones(c->z->maps),
						 .slot = WIRE_PROBE_CALIBRATION,
						 .generation = GENERATION};
	const struct wire_probe_proc proc = {.flags = WIRE_PROC_TARGET | WIRE_PROC_HIJACK |
						      WIRE_PROC_RETS | WIRE_PROC_OURS};
	struct calibrator_times bare;

	if (!calibrator_start(&c->process, &probes, &bare))
		return false;
	for (int i = 0; i < CALIBRATE_ZONES; i++)
		c->bare_ns[i] = bare.ns[i];
	probemaps_set_generation(c->z->maps, WIRE_PROBE_CALIBRATION, GENERATION);
	return !probemaps_set_proc(c->z->maps, calibration_pid(c), proc);
}

struct calibration *calibrate(struct probe_session *z)
{
	struct calibration *c = mem_zalloc(1, sizeof(*c));
	bool goes_on;

	c->z = z;
	c->hits = fair_new(counters_cpus());
	goes_on = start_process(c);
	if (goes_on) {
		probemaps_enable(z->maps, true);
		goes_on = time_all(c) && time_programs(c);
		probemaps_enable(z->maps, false);
	}
	if (!goes_on)
		calibrator_end(&c->process);
	return c;
}

void calibration_free(struct calibration *c)
{
	if (!c)
		return;
	calibrator_end(&c->process);
	fair_free(c->hits);
	free(c);
}

/* --- rounds --------------------------------------------------------------------------------- */

/* A program's calls cost more than calls in a loop, and few cost more than calls with cold caches.
 * The middle between both is taken, and the half between them is the margin. Besides, what the
 * calibrator times is true to a fiftieth. */
#define COLD_PART 0.5
#define OWN_OFF	  0.02

static double off(double ns, double cold_ns, double spread)
{
	return cold_ns + ns * (OWN_OFF + spread);
}

static struct calibrated timed(const struct calibration *c, int number)
{
	double factor = drift_mean(&c->drift[number], fair_sum(c->hits));
	const struct calibrated *cold = &c->cold[number];
	double spread = drift_off(&c->drift[number]);
	struct calibrated at = c->at[number];

	at.inner_ns = factor * (at.inner_ns + COLD_PART * cold->inner_ns);
	at.outer_ns = factor * (at.outer_ns + COLD_PART * cold->outer_ns);
	at.cpu_ns = at.cpu_ns > 0 ? factor * (at.cpu_ns + COLD_PART * cold->inner_ns) : 0;
	at.sys_ns *= factor;
	at.inner_off_ns = off(at.inner_ns, factor * cold->inner_ns, spread);
	at.outer_off_ns = off(at.outer_ns, factor * cold->outer_ns, spread);
	at.bpf_ns *= factor;
	return at;
}

struct calibrated calibration_of(const struct calibration *c, enum site_class class,
				 enum exit_way way)
{
	if (!calibrate_is_timed(class) || way < EXIT_SESSION || way > EXIT_NONE)
		return (struct calibrated){0};
	return timed(c, CALIBRATE_NUMBER(class, way));
}

static void set_due(struct calibration *c, uint64_t now_ns)
{
	c->due_ns = c->start_ns + drift_due_ns(now_ns - c->start_ns,
					       (uint64_t)(calibration_cpu_ns(c) - c->start_cpu_ns));
}

void calibration_start(struct calibration *c)
{
	c->start_ns = clock_ns(CLOCK_MONOTONIC);
	c->start_cpu_ns = calibration_cpu_ns(c);
	set_due(c, c->start_ns);
}

uint64_t calibration_due_ns(const struct calibration *c)
{
	return c->process.pid > 0 && c->due_ns ? c->due_ns : UINT64_MAX;
}

/* Asks on a processor where probes are hit: it may run faster than others, or share its core with a
 * busy neighbour, and what a probe costs there is what the target pays. */
static void ask(struct calibration *c, uint32_t which)
{
	_free_ uint64_t *hits = mem_zalloc((size_t)counters_cpus(), sizeof(*hits));
	int cpu;

	if (!which || c->process.asked ||
	    !probemaps_counter_by_cpu(c->z->maps, WIRE_PROBE_HITS, hits))
		return;
	cpu = fair_turn(c->hits, hits);
	if (cpu < 0)
		return;
	calibrator_move(&c->process, cpu);
	calibrator_ask(&c->process, which, CALIBRATOR_BRIEF);
	c->asked_hits = fair_sum(c->hits);
}

/* False: there is no answer yet. */
static bool take_answer(struct calibration *c, int wait_ms)
{
	struct calibrator_times times;

	if (!calibrator_answer(&c->process, wait_ms, &times))
		return false;
	for (int i = 0; i < CALIBRATE_ZONES; i++)
		if (times.ns[i] > 0 && c->at[i].outer_ns > 0)
			drift_add(&c->drift[i], c->asked_hits,
				  fmax(0, times.ns[i] - c->bare_ns[i]) / c->at[i].outer_ns);
	return true;
}

void calibration_round(struct calibration *c, uint32_t which)
{
	(void)take_answer(c, 0);
	ask(c, which);
	set_due(c, clock_ns(CLOCK_MONOTONIC));
}

void calibration_finish(struct calibration *c, uint32_t which)
{
	if (calibration_due_ns(c) == UINT64_MAX)
		return;
	/* Where the round under way does not answer in time, no other is asked for. */
	if (!c->process.asked || take_answer(c, LAST_MS)) {
		ask(c, which);
		(void)take_answer(c, LAST_MS);
	}
}

void calibration_stop(const struct calibration *c)
{
	calibrator_kill(&c->process);
}

uint32_t calibration_pid(const struct calibration *c)
{
	return c->process.pid > 0 ? (uint32_t)c->process.pid : 0;
}

int64_t calibration_cpu_ns(const struct calibration *c)
{
	return calibrator_cpu_ns(&c->process);
}
