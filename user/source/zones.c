/*
 * zones: the source of what functions with probes tell: zones, and the other actions.
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
#include "source/zone_tables.h"
#include "function/zonepattern.h"
#include "probe/zone_limit.h"
#include "probe/zone_price.h"
#include "probe/zone_state.h"
#include "probe/zones.h"

static void *zones_new(const void *options)
{
	struct zones *z = mem_zalloc(1, sizeof(*z));

	z->in.o = options;
	z->limit.governor = governor_of(z->in.o->max_slowdown);
	return z;
}

static void process_free(struct zone_process *p)
{
	vec_release(&p->images);
	free(p);
}

static void zones_free(void *state)
{
	struct zones *z = state;

	if (!z)
		return;
	for (size_t i = 0; i < z->at.n; i++) {
		zone_image_release(z->at.at[i]);
		free(z->at.at[i]);
	}
	for (size_t i = 0; i < z->met.n; i++)
		process_free(z->met.at[i]);
	for (size_t i = 0; i < z->notes.n; i++)
		free(z->notes.at[i].text);
	vec_release(&z->at);
	vec_release(&z->processes);
	vec_release(&z->met);
	zone_guard_release(z);
	zone_limit_release(z);
	vec_release(&z->thread_of);
	vec_release(&z->notes);
	vec_release(&z->unused_slots);
	map_release(&z->by_image);
	map_release(&z->by_pid);
	calibration_free(z->in.calibration);
	allowance_free(z->in.allowance);
	keeper_free(z->keeper);
	own_code_release(&z->own);
	free(z);
}

/* --- the source: the start ------------------------------------------------------------------ */

static void zones_request(void *state, struct session_options *out)
{
	struct zones *z = state;
	const struct zones_options *o = z->in.o;

	z->request = (struct probe_request){.max_zones = o->max,
					    .clocks = o->clocks,
					    .events = o->events,
					    .n_events = o->n_events,
					    .actions = zones_actions(o),
					    .one_by_one = o->one_by_one,
					    .no_session = o->no_session,
					    .limited = o->max_slowdown > 0};
	out->probes = &z->request;
}

/* Some of whose files take seconds each, however short the code that runs. While they are read, no
 * window ends. */
static const struct allowance_rates of_code = {{INT64_C(5000000000), 10},
					       {INT64_C(10000000000), 20}};

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void zones_begin(void *state, const struct source_services *services)
{
	struct zones *z = state;

	z->in.session = session_probes(services->session);
	z->in.whole = services->session;
	z->in.images = services->images;
	z->in.procs = services->procs;
	z->in.target = services->target;
	z->in.wait = services->wait;
	z->in.allowance = allowance_new(now_ns, &of_code);
	z->in.say = services->say;
	z->in.context = services->context;
	images_part_copies(services->images);
}

static void see(void *state, uint32_t pid)
{
	zones_process(state, pid);
}

static int zones_open(void *state)
{
	struct zones *z = state;
	const struct target *t = z->in.target;
	int ret;

	ret = zonepatterns_find_files(z->in.o->patterns, images_opener(z->in.images));
	if (ret)
		return ret;
	z->in.calibration = calibrate(z->in.session);
	ret = keeper_new(&z->in.session->probes, z->in.wait, &z->keeper);
	z->tools = (struct zone_tools){z->keeper, &z->own, z->in.session->maps};
	if (ret)
		return ret;
	zone_guard_init(z);
	if (target_is_open(t))
		(void)procfs_processes(see, z);
	if (t->kind == TARGET_COMMAND)
		zones_command(z, t->pids.at[0], t->argv[0]);
	for (size_t i = 0; i < t->pids.n; i++)
		zones_process(z, t->pids.at[i]);
	return zone_settle_all(z, true);
}

static void zones_start(void *state)
{
	struct zones *z = state;

	z->counting = true;
	zonemaps_enable(z->in.session->maps, true);
	calibration_start(z->in.calibration);
	zone_judge_cost(z);
}

/* --- the source: processes and time --------------------------------------------------------- */

static void forked(void *state, uint32_t pid, uint32_t child)
{
	zones_fork(state, pid, child);
}

static void exec(void *state, uint32_t pid)
{
	zones_exec(state, pid);
}

static void leader_exited(void *state, uint32_t pid)
{
	zones_leader_exit(state, pid);
}

static void seen(void *state, const struct side_record *r)
{
	if (r->kind == SIDE_FORK)
		zones_born(state, r->parent_pid, r->pid);
	else if (r->kind == SIDE_COMM && r->exec)
		zones_program(state, r->pid, r->time_ns);
	else if (r->kind == SIDE_EXIT && r->pid == r->tid)
		zones_end(state, r->pid, r->time_ns);
}

static void before_drain(void *state)
{
	zone_guard_heed(state);
}

static void after_drain(void *state)
{
	if (zones_unsettled(state))
		(void)zone_settle_all(state, false);
}

static uint64_t due_ns(const void *state)
{
	const struct zones *z = state;

	return calibration_due_ns(z->in.calibration);
}

/* What probes cost is timed now and then. */
static bool time_round(void *state)
{
	struct zones *z = state;

	if (clock_ns(CLOCK_MONOTONIC) < due_ns(z))
		return false;
	calibration_round(z->in.calibration, zone_cost_which(z));
	return true;
}

static void tick(void *state)
{
	zones_tick(state);
}

static void progress(const void *state, struct str *out)
{
	const struct zones *z = state;
	double slowdown = zones_slowdown(z);
	char text[UNITS_BUF];
	uint64_t calls = 0;

	for (size_t i = 0; i < z->limit.zones.n; i++)
		calls += z->limit.zones.at[i].timed + z->limit.zones.at[i].counted;
	str_addf(out, "%s calls  ", units_count(text, sizeof(text), (int64_t)calls));
	if (slowdown >= 0)
		str_addf(out, "zones cost %s  ", units_percent(text, sizeof(text), slowdown, 1));
}

/* --- the source: the end -------------------------------------------------------------------- */

static void zones_ending(void *state)
{
	struct zones *z = state;

	zonemaps_look_again(z->in.session->maps);
	calibration_finish(z->in.calibration, zone_cost_which(z));
}

static void zones_stop(void *state)
{
	struct zones *z = state;

	zonemaps_enable(z->in.session->maps, false);
}

static void know_thread(struct zones *z, uint32_t number, uint32_t thread)
{
	while (z->thread_of.n <= number)
		vec_push(&z->thread_of, NO_THREAD);
	z->thread_of.at[number] = thread;
}

/* Threads that a full ring had no room to tell of are known by what the kernel keeps of them, under
 * the name that they have by then. */
static void find_threads(struct zones *z)
{
	const struct zonemaps *maps = z->in.session->maps;

	for (uint32_t i = 1; i < zonemaps_threads(maps); i++) {
		const struct wire_zone_thread t = zonemaps_thread(maps, i);

		if (t.pid && (i >= z->thread_of.n || z->thread_of.at[i] == NO_THREAD))
			know_thread(
				z, i,
				procs_thread(z->in.procs, t.pid, t.tid ? t.tid : t.pid, t.time_ns));
	}
}

/* The kernel takes its time to detach thousands of probes: that goes on beside what follows. */
static void zones_drained(void *state)
{
	struct zones *z = state;

	find_threads(z);
	for (size_t i = 0; i < z->at.n; i++)
		keeper_drop(z->keeper, &z->at.at[i]->links);
	calibration_stop(z->in.calibration);
}

/* --- the source: records and profile -------------------------------------------------------- */

static void take_thread(struct zones *z, const struct wire_zone_record *r, struct procs *procs)
{
	know_thread(z, r->number,
		    procs_thread(procs, r->pid, r->tid ? r->tid : r->pid, r->time_ns));
}

static void zones_take(void *state, const void *record, struct stackbook *stacks,
		       struct procs *procs)
{
	const struct wire_zone_record *r = record;
	struct zones *z = state;

	(void)stacks;
	if (r->news == WIRE_NEWS_THREAD && r->number < WIRE_ZONE_THREADS)
		take_thread(z, r, procs);
	if (r->news == WIRE_NEWS_FOREIGN) {
		zone_runs_coroutines(z, zone_process_of(z, r->pid));
		zones_process(z, r->pid);
	}
	if (r->news == WIRE_NEWS_FORK)
		zone_process_saw_code(z, r->number, r->code);
	if (r->news == WIRE_NEWS_EXEC || r->news == WIRE_NEWS_MODULE)
		zone_process_saw_code(z, r->pid, r->code);
	if (r->news == WIRE_NEWS_PROC)
		zones_process(z, r->pid);
}

static void window_end(void *state)
{
	const struct zones *z = state;

	zonemaps_take(z->in.session->maps);
}

static void window_forget(void *state, struct survivors *r)
{
	const struct zones *z = state;

	zonemaps_drop(z->in.session->maps);

	for (size_t i = 0; i < z->thread_of.n; i++)
		survivors_thread(r, z->thread_of.at[i]);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct zones *z = state;

	for (size_t i = 0; i < z->thread_of.n; i++)
		z->thread_of.at[i] = survivors_new_thread(r, z->thread_of.at[i]);
}

static void hold_images(void *state, uint8_t *used)
{
	zone_forget(state, used);
}

static bool has_zones(const struct zones *z)
{
	return z->in.o->actions & action_bit(WIRE_ACTION_zone);
}

static void assemble(const void *state, struct assembly *a)
{
	(void)state;
	assembly_mark_probes(a);
}

static void add_rows(const void *state, struct assembly *a)
{
	const struct zones *z = state;

	if (has_zones(z)) {
		profile_set_run(a->p, RUN_CLOCK, z->in.o->clock ? z->in.o->clock : "wall");
		zone_tables_fill(z, a);
	} else {
		zone_cost_probe_rows(z, a->p);
	}
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	char calls[UNITS_BUF], zones[UNITS_BUF];
	uint64_t n_calls = 0, n_zones = 0;

	if (!has_zones(state))
		return;
	for (size_t i = 0; i < p->zones.n; i++) {
		n_calls += p->zones.at[i].flags & ZONE_PSEUDO ? 0 : p->zones.at[i].counts;
		n_zones += !(p->zones.at[i].flags & ZONE_PSEUDO);
	}
	str_addf(out, "%s call%s of %s zone%s", units_count(calls, sizeof(calls), (int64_t)n_calls),
		 n_calls == 1 ? "" : "s", units_count(zones, sizeof(zones), (int64_t)n_zones),
		 n_zones == 1 ? "" : "s");
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	if (has_zones(state))
		zone_cost_all(p, in->past);
}

static struct program_run zones_run(const void *state, const struct profile *p)
{
	return zone_cost_run(state, p);
}

/* Zones have an account of their own. */
static double actions_ns(const void *state)
{
	const struct zones *z = state;
	double ns = 0;

	for (uint32_t i = 1; i < WIRE_ACTIONS; i++)
		if (z->in.o->actions >> i & 1 && action_of(i)->metric)
			ns += zone_price_hits(z, z->in.o->action_event[i]);
	return ns;
}

static int64_t cpu_ns(const void *state)
{
	const struct zones *z = state;

	return keeper_cpu_ns(z->keeper) + calibration_cpu_ns(z->in.calibration);
}

static char *waiting(const void *state)
{
	return zone_read_waiting(state);
}

static const char *forbidden(const void *state)
{
	const struct zones *z = state;

	return z->forbidden;
}

const struct source zones_source = {
	.name = "zones",
	.opening = "looking for zones, and attaching probes there",
	.closing = "taking the probes away",
	.new = zones_new,
	.free = zones_free,
	.finish = add_rows,
	.request = zones_request,
	.begin = zones_begin,
	.open = zones_open,
	.start = zones_start,
	.take = zones_take,
	.code_changed = see,
	.forked = forked,
	.exec = exec,
	.leader_exited = leader_exited,
	.seen = seen,
	.before_drain = before_drain,
	.after_drain = after_drain,
	.due_ns = due_ns,
	.round = time_round,
	.tick = tick,
	.progress = progress,
	.reconcile = reconcile,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.hold_images = hold_images,
	.ending = zones_ending,
	.stop = zones_stop,
	.drained = zones_drained,
	.assemble = assemble,
	.run = zones_run,
	.probes_ns = actions_ns,
	.cpu_ns = cpu_ns,
	.total = total,
	.waiting = waiting,
	.forbidden = forbidden,
};
