/*
 * probes: the source of what functions with probes tell: the engine (probe/engine.h), whose actions
 * have rows of their own (action.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "model/meta.h"
#include "process/allowance.h"
#include "process/procfs.h"
#include "source/action.h"
#include "source/source.h"
#include "source/zone_cost.h"
#include "source/zone_ledger.h"
#include "source/zone_tables.h"
#include "function/zonepattern.h"
#include "probe/cost_limit.h"
#include "probe/call_price.h"

static void *probes_new(const void *options)
{
	return engine_new(options);
}

static void probes_free(void *state)
{
	engine_free(state);
}

/* --- the source: the start ------------------------------------------------------------------ */

static void probes_request(void *state, struct session_options *out)
{
	struct engine *z = state;
	out->probes = engine_request(z);
}

/* Some of whose files take seconds each, however short the code that runs. While they are read, no
 * window ends. */
static const struct allowance_rates of_code = {{INT64_C(5000000000), 10},
					       {INT64_C(10000000000), 20}};

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void probes_begin(void *state, const struct source_services *services)
{
	struct engine *z = state;

	z->in.session = session_probes(services->session);
	z->in.whole = services->session;
	z->in.images = services->images;
	z->in.procs = services->procs;
	z->in.target = services->target;
	z->in.wait = services->wait;
	z->in.allowance = allowance_new(now_ns, &of_code);
	z->in.say = services->say;
	z->in.beside_ns = services->beside_probes_ns;
	z->in.capture = services->capture;
	z->in.context = services->context;
	services->images->separate_copies = true;
}

static int probes_open(void *state)
{
	return engine_open(state);
}

static void probes_start(void *state)
{
	engine_start(state);
}

static void code_changed(void *state, uint32_t pid)
{
	engine_process(state, pid);
}

/* --- the source: processes and time --------------------------------------------------------- */

static void forked(void *state, uint32_t pid, uint32_t child)
{
	engine_fork(state, pid, child);
}

static void exec(void *state, uint32_t pid)
{
	engine_exec(state, pid);
}

static void leader_exited(void *state, uint32_t pid)
{
	engine_leader_exit(state, pid);
}

static void seen(void *state, const struct side_record *r)
{
	if (r->kind == SIDE_FORK)
		engine_born(state, r->parent_pid, r->pid);
	else if (r->kind == SIDE_COMM && r->exec)
		engine_program(state, r->pid, r->time_ns);
	else if (r->kind == SIDE_EXIT && r->pid == r->tid)
		engine_end(state, r->pid, r->time_ns);
}

static void before_drain(void *state)
{
	engine_guard_heed(state);
}

static void after_drain(void *state)
{
	if (engine_unsettled(state))
		(void)engine_settle_all(state, false);
}

static uint64_t due_ns(const void *state)
{
	const struct engine *z = state;

	return calibration_due_ns(z->in.calibration);
}

/* What probes cost is timed now and then. */
static bool time_round(void *state)
{
	struct engine *z = state;

	if (clock_ns(CLOCK_MONOTONIC) < due_ns(z))
		return false;
	calibration_round(z->in.calibration, zone_cost_which(z));
	return true;
}

static void tick(void *state)
{
	engine_tick(state);
}

/* --- the source: the end -------------------------------------------------------------------- */

static void probes_ending(void *state)
{
	struct engine *z = state;

	probemaps_look_again(z->in.session->maps);
	calibration_finish(z->in.calibration, zone_cost_which(z));
}

static void probes_stop(void *state)
{
	struct engine *z = state;

	probemaps_enable(z->in.session->maps, false);
}

static void probes_drained(void *state)
{
	engine_drained(state);
}

static void probes_take(void *state, const void *record, struct stackbook *stacks,
			struct procs *procs)
{
	(void)stacks;
	(void)procs;
	engine_take(state, record);
}

static void window_forget(void *state, struct survivors *r)
{
	const struct engine *z = state;

	for (size_t i = 0; i < z->thread_of.n; i++)
		survivors_thread(r, z->thread_of.at[i]);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct engine *z = state;

	for (size_t i = 0; i < z->thread_of.n; i++)
		z->thread_of.at[i] = survivors_new_thread(r, z->thread_of.at[i]);
}

static void hold_images(void *state, uint8_t *used)
{
	engine_forget(state, used);
}

static void assemble(const void *state, struct assembly *a)
{
	(void)state;
	assembly_mark_probes(a);
}

/* Of the probes as such; zones have rows of what theirs cost. */
static void add_rows(const void *state, struct assembly *a)
{
	const struct engine *z = state;

	if (z->in.o->actions >> WIRE_ACTION_zone & 1)
		return;
	zone_cost_probe_rows(z, a->p);
	zone_ledger_notes(z, a->p, LEDGER_FIRST(a->p));
}

/* The kernel writes the probes into the code of each process that starts, and of the one that forks
 * it: 0.04 to 0.4 ms. */
#define TAKEN_STARTS(sum, n) taken_add(sum, 120000.0 * (double)(n), 0.3, 4)

/* Zones have an account of their own. */

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct engine *z = state;

	TAKEN_STARTS(sum, z->met.n);
	if (!p)
		TAKEN_PROBES(sum, engine_taken_ns(z) / PRICE_IN_REAL_WORK);
	for (uint32_t i = 0; p && i < WIRE_STREAMS; i++)
		if (engine_streams(z->in.o) >> i & 1)
			TAKEN_PROBES(sum, call_price_hits(z, i));
}

static int64_t cpu_ns(const void *state)
{
	const struct engine *z = state;

	return keeper_cpu_ns(z->keeper) + calibration_cpu_ns(z->in.calibration);
}

static char *waiting(const void *state)
{
	return engine_read_waiting(state);
}

static const char *forbidden(const void *state)
{
	const struct engine *z = state;

	return z->forbidden;
}

const struct source probes_source = {
	.opening = "looking for zones, and attaching probes there",
	.closing = "taking the probes away",
	.new = probes_new,
	.free = probes_free,
	.finish = add_rows,
	.request = probes_request,
	.begin = probes_begin,
	.open = probes_open,
	.start = probes_start,
	.take = probes_take,
	.code_changed = code_changed,
	.forked = forked,
	.exec = exec,
	.leader_exited = leader_exited,
	.seen = seen,
	.before_drain = before_drain,
	.after_drain = after_drain,
	.due_ns = due_ns,
	.round = time_round,
	.tick = tick,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.hold_images = hold_images,
	.ending = probes_ending,
	.stop = probes_stop,
	.drained = probes_drained,
	.assemble = assemble,
	.taken = taken,
	.cpu_ns = cpu_ns,
	.waiting = waiting,
	.forbidden = forbidden,
};
