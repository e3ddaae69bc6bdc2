/*
 * offcpu: samples the time that threads are off the CPU, blocked or runnable, with the stacks in
 * which they wait.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "load/kernel_types.h"
#include "source/offcpu_ledger.h"
#include "source/offcpu_options.h"
#include "source/offcpu_profile.h"
#include "source/source.h"
#include "stack/own_frames.h"

#define STREAMS (WIRE_LAST_STREAM_offcpu - WIRE_STREAM_offcpu + 1)

static const char *const programs[] = {"offcpu_begin", "offcpu_asleep", "offcpu_starved",
				       "offcpu_end",   "offcpu_born",	NULL};

/* The programs that take stacks, by what the kernel has. */
static const char *const ways[][2] = {
	[SESSION_SWITCHED_TRACEPOINT] = {"offcpu_switch", "offcpu_in"},
	[SESSION_SWITCHED_KPROBE] = {"offcpu_switch", "offcpu_in_kprobe"},
};

static void *offcpu_new(const void *options)
{
	const struct offcpu_choice *from = options;
	struct offcpu *o = mem_zalloc(1, sizeof(*o));

	samplebook_init(&o->book, WIRE_STREAM_offcpu, STREAMS);
	holderbook_init(&o->holders);
	o->book.traced = true;
	o->wakes = from->wakers ? wakebook_new() : NULL;
	o->walk = -1;
	o->min_ns = from->min_ns;
	o->way = from->way;
	o->runners = from->runners;
	return o;
}

static void offcpu_free(void *state)
{
	struct offcpu *o = state;

	if (!o)
		return;
	if (o->walk >= 0)
		close(o->walk);
	samplebook_release(&o->book);
	switch_cost_free(o->switches);
	wakebook_free(o->wakes);
	totalbook_release(&o->threads);
	ranbook_release(&o->ran);
	reasonbook_release(&o->reasons);
	holderbook_release(&o->holders);
	free(o);
}

static void request(void *state, struct session_options *s)
{
	struct offcpu *o = state;

	if (o->wakes)
		vec_push(&s->programs, "offcpu_wake");
	s->spares_switches = true;
	o->events = s->events;
	o->n_events = s->n_events;
	o->target = s->target;
	o->hz = s->hz;
	o->period_ns = offcpu_period_ns(s->hz);
	if (kernel_types_have_tracepoint("contention_begin")) {
		vec_push(&s->programs, "offcpu_contended");
		vec_push(&s->programs, "offcpu_uncontended");
	}
	for (size_t i = 0; i < 2; i++)
		vec_push(&s->programs, ways[o->way][i]);
	o->switches = switch_cost_new();
}

static void begin(void *state, const struct source_services *services)
{
	struct offcpu *o = state;

	o->session = services->session;
	o->opener = services->opener;
	o->procs = services->procs;
	reasonbook_init(&o->reasons, services->images);
}

/* Measures what a switch costs with the programs attached, which still return at once. */
static int offcpu_open(void *state)
{
	struct offcpu *o = state;

	for (size_t i = 0; i < o->n_events; i++)
		if (session_samples_tasks(o->session, i))
			switch_cost_watch(o->switches, &o->events[i], o->hz);
	o->switch_ns = o->switches ? switch_cost_grown_ns(o->switches) : -1;
	switch_cost_free(o->switches);
	o->switches = NULL;
	return 0;
}

static void set_interrupts(const struct offcpu *o)
{
	const struct interrupt_entries e = interrupt_entries();

	session_map_set(o->session, "offcpu_control", WIRE_OFF_INTERRUPT_FROM, e.from);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_INTERRUPT_TO, e.to);
}

static void start(void *state)
{
	struct offcpu *o = state;

	if (o->wakes)
		set_interrupts(o);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_STARTED_NS,
			clock_ns(CLOCK_MONOTONIC));
	session_map_set(o->session, "offcpu_control", WIRE_OFF_ABSENT,
			o->target->kind == TARGET_COMMAND);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_RUNNERS, o->runners);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_MIN_NS, o->min_ns);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_PERIOD_NS, o->period_ns);
	(void)session_walk_tasks(o->session, "offcpu_begin");
}

/* Has the iteration do nothing if it ever goes on, and has the programs not read again the memory
 * that it is stuck in. */
static void give_up_walk(struct offcpu *o)
{
	session_map_set(o->session, "offcpu_control", WIRE_OFF_WALK, 0);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_STUCK, ++o->stuck);
}

/* Samples the waits that are going on, as many at a time as the ring takes. */
static bool survey(void *state)
{
	struct offcpu *o = state;
	int more = -1;

	if (o->walk < 0) {
		if (o->runners)
			(void)session_walk_tasks(o->session, "offcpu_starved");
		o->walk = session_open_walk(o->session, "offcpu_asleep");
	}
	if (o->walk >= 0)
		more = session_walk_on(o->opener, o->walk);
	if (more > 0)
		return true;
	if (o->walk >= 0)
		close(o->walk);
	o->walk = -1;
	if (more == -ETIMEDOUT)
		give_up_walk(o);
	/* Iterate again, for the threads after the one that was stuck. */
	return more == -ETIMEDOUT && o->stuck <= WIRE_OFF_STUCK_MOST;
}

#define EXIT_US	    2000
#define EXIT_ROUNDS 250
#define EXIT_STILL  100 /* rounds without a thread that ended */

/* No iteration finds a thread between its exit and its last switch, when it sends its totals; on a
 * busy machine it may wait for a CPU there. */
static void await_exits(const struct offcpu *o)
{
	const uint64_t opened = offcpu_counter(o->session, WIRE_OFF_OPENED);
	uint64_t closed = 0, before;

	for (int round = 0, still = 0; round < EXIT_ROUNDS && still < EXIT_STILL; round++) {
		before = closed;
		closed = offcpu_counter(o->session, WIRE_OFF_CLOSED);
		if (closed >= opened)
			return;
		still = closed == before ? still + 1 : 0;
		usleep(EXIT_US);
	}
}

static void stop(void *state)
{
	struct offcpu *o = state;

	session_map_set(o->session, "offcpu_control", WIRE_OFF_CLOSING, 1);
	(void)session_walk_tasks(o->session, "offcpu_end");
	await_exits(o);
	session_map_set(o->session, "offcpu_control", WIRE_OFF_PERIOD_NS, 0);
	/* A program may still be in its last run. */
	if (!offcpu_adds_up(o->session))
		counters_await_programs();
}

/* --- records -------------------------------------------------------------------------------- */

static uint32_t find_holder(struct offcpu *o, const struct wire_offcpu *w, struct procs *procs)
{
	const uint32_t number = (uint32_t)w->reason.holder, process = w->reason.holder >> 32;
	const struct holder_clue clue = {.pid = w->sample.pid,
					 .number = WIRE_HOLDER_NUMBER(number),
					 .shared = number & WIRE_HOLDER_SHARED,
					 .address = w->reason.argument};

	if (!clue.number || w->sample.weight <= w->runnable_ns)
		return 0;
	if (process)
		return holderbook_find_kernel(&o->holders, procs, process, number);
	return holderbook_find(&o->holders, procs, &o->reasons.memory, &clue);
}

/* @user: the sample's user stack. */
static void take_sample(struct offcpu *o, const struct wire_offcpu *w, uint32_t user,
			struct stackbook *stacks, struct procs *procs)
{
	struct sample_row row;

	if (w->news == WIRE_OFF_WAKE) {
		wakebook_wake(o->wakes, w, user, stacks, procs);
		return;
	}
	row = samplebook_row(&o->book, &w->sample, w->runnable_ns, user, stacks, procs);
	row.reason = reasonbook_take(&o->reasons, w, procs);
	row.wait_ns = w->wait_ns;
	row.open = w->reason.flags & WIRE_REASON_OPEN;
	row.holder = find_holder(o, w, procs);
	samplebook_push(&o->book, &row);
	if (o->wakes)
		wakebook_wait(o->wakes, w, &row);
}

static void take_thread(struct totalbook *o, const struct wire_off_thread *w, struct procs *procs)
{
	const uint64_t off_ns = w->blocked_ns + w->runnable_ns;
	const struct total t = {.thread = procs_thread(procs, w->pid, w->tid),
				.on_ns = w->life_ns > off_ns ? w->life_ns - off_ns : 0,
				.blocked_ns = w->blocked_ns,
				.runnable_ns = w->runnable_ns,
				.waits = w->waits,
				.voluntary = w->voluntary,
				.involuntary = w->involuntary,
				.priority = w->priority,
				.quota_ns = w->quota_ns,
				.period_ns = w->period_ns};

	totalbook_add(o, &t);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_offcpu *w = record;
	struct offcpu *o = state;

	if (w->news == WIRE_OFF_THREAD)
		take_thread(&o->threads, record, procs);
	else
		take_sample(o, w, stackbook_find(stacks, w->sample.user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	struct wire_offcpu w;
	struct offcpu *o = state;

	source_slice_record(slice, &w, sizeof(w));
	if (w.news == WIRE_OFF_WAKE)
		samplebook_count_slice(&o->wakes->book, slice);
	else
		samplebook_count_slice(&o->book, slice);
	take_sample(o, &w, slice->stack, stacks, procs);
}
_Static_assert(sizeof(struct wire_offcpu) - sizeof(struct wire_sample) <= 8 * WIRE_MORE,
	       "all of a record is in its slice");

static void drained(void *state)
{
	struct offcpu *o = state;

	if (o->wakes)
		wakebook_finish(o->wakes);
}

/* With its code, the places of its data may have changed. */
static void code_changed(void *state, uint32_t pid)
{
	struct offcpu *o = state;

	reasonbook_code_changed(&o->reasons, pid);
}

static void progress(const void *state, struct str *out)
{
	const struct offcpu *o = state;
	char n[UNITS_BUF];

	str_addf(out, "%s waits sampled  ",
		 units_count(n, sizeof(n), (int64_t)samplebook_count(&o->book)));
}

static uint64_t lost(const void *state)
{
	const struct offcpu *o = state;

	return ledger_lost(o->session, WIRE_STREAM_offcpu, STREAMS);
}

/* --- windows -------------------------------------------------------------------------------- */

static void take_runners(struct offcpu *o)
{
	if (o->runners)
		ranbook_take(&o->ran, o->session, o->procs);
}

/* Walks are to take no more than this part of the time. */
#define WALKS_PART 100

/* Before its CPU has forgotten who ran since a starving thread began to wait; and so that the map
 * has room for what is new. */
static void tick(void *state)
{
	struct offcpu *o = state;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (o->runners && now_ns >= o->starved_due_ns) {
		(void)session_walk_tasks(o->session, "offcpu_starved");
		o->starved_due_ns = now_ns + WALKS_PART * (clock_ns(CLOCK_MONOTONIC) - now_ns);
	}
	take_runners(o);
}

static void window_end(void *state)
{
	struct offcpu *o = state;

	samplebook_window_end(&o->book);
	if (o->wakes)
		wakebook_window_end(o->wakes);
	take_runners(o);
	totalbook_window_end(&o->threads);
	ranbook_window_end(&o->ran);
}

/* Forgets the reasons of rows that are written. */
static void forget_reasons(struct offcpu *o)
{
	_free_ uint32_t *numbers = mem_zalloc(o->reasons.rows.n, sizeof(*numbers));

	for (size_t i = 0; i < o->book.rows.n; i++)
		numbers[o->book.rows.at[i].reason] = 1;
	if (o->wakes)
		wakebook_mark_reasons(o->wakes, numbers);
	reasonbook_keep(&o->reasons, numbers);
	if (o->wakes)
		wakebook_renumber_reasons(o->wakes, numbers);
	for (size_t i = 0; i < o->book.rows.n; i++) {
		uint32_t *reason = &o->book.rows.at[i].reason;

		*reason = *reason ? numbers[*reason] : 0;
	}
}

static void window_forget(void *state, struct survivors *r)
{
	struct offcpu *o = state;

	samplebook_window_forget(&o->book, r);
	if (o->wakes)
		wakebook_window_forget(o->wakes, r);
	totalbook_window_forget(&o->threads, r);
	ranbook_window_forget(&o->ran, r);
	forget_reasons(o);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct offcpu *o = state;

	samplebook_window_renumber(&o->book, r);
	if (o->wakes)
		wakebook_window_renumber(o->wakes, r);
	totalbook_window_renumber(&o->threads, r);
	ranbook_window_renumber(&o->ran, r);
}

const struct source offcpu_source = {
	.name = "offcpu",
	.options = offcpu_options,
	.captures = offcpu_captures,
	.programs = programs,
	.new = offcpu_new,
	.free = offcpu_free,
	.finish = offcpu_finish,
	.metrics = offcpu_metrics,
	.lost = lost,
	.request = request,
	.begin = begin,
	.open = offcpu_open,
	.start = start,
	.take = take,
	.take_slice = take_slice,
	.code_changed = code_changed,
	.progress = progress,
	.tick = tick,
	.survey = survey,
	.surveys_stacks = true,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.stop = stop,
	.drained = drained,
	.account = offcpu_account,
	.reconcile = offcpu_reconcile,
	.run = offcpu_run,
	.taken = offcpu_taken,
	.total = offcpu_total,
};
