/*
 * zones: the source, and the probes and flags of each process as its code changes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "source/source.h"
#include "source/zone_cost.h"
#include "source/zone_limit.h"
#include "source/zone_state.h"
#include "source/zones.h"
#include "symbol/procfs.h"

static void *zones_new(void)
{
	return mem_zalloc(1, sizeof(struct zones));
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
	zone_watch_release(z);
	zone_limit_release(z);
	vec_release(&z->thread_of);
	vec_release(&z->notes);
	map_release(&z->by_image);
	map_release(&z->by_pid);
	free(z);
}

void zones_configure(struct zones *z, const struct zones_input *in)
{
	z->in = *in;
	z->limit.governor = governor_of(in->o->max_slowdown);
}

bool zones_active(const struct zones *z)
{
	return z->in.session;
}

void zone_note(struct zones *z, const char *text)
{
	for (size_t i = 0; i < z->notes.n; i++) {
		if (!strcmp(z->notes.at[i].text, text)) {
			z->notes.at[i].n++;
			return;
		}
	}
	vec_push(&z->notes, ((struct zone_note){.text = mem_strdup(text), .n = 1}));
}

/* --- settling ------------------------------------------------------------------------------- */

static int tell(struct zones *z, struct zone_process *p, uint32_t flags)
{
	struct wire_zone_proc proc = {
		.flags = flags, .exec_flags = WIRE_PROC_TARGET, .code_seen = p->code_seen};

	if (p->before_exec)
		proc = (struct wire_zone_proc){.exec_flags = flags};
	p->flags = flags;
	p->told = true;
	p->code_told = p->code_seen;
	return zonemaps_set_proc(z->in.session->maps, p->pid, proc);
}

/* Whether @pid is a process of ours that is gone, which is known from now on. */
static bool forget_gone(struct zones *z, uint32_t pid)
{
	_free_ char *link = procfs_path(pid, "exe");
	char byte;

	if (!pid || readlink(link, &byte, 1) >= 0 || !zone_process_of(z, pid)->wants)
		return false;
	zone_process_of(z, pid)->wants = 0;
	return true;
}

/* What the kernel will not hang for a process that is gone is decided on without it. */
int zone_hang(struct zones *z, uint32_t number)
{
	struct zone_image *image = z->at.at[number];
	struct zone_hanging want;
	int ret;

	if (!image->list.zones.n && !image->list.switches.n)
		return 0;
	do {
		want = zone_decide_probes(z, number);
		if (!image->list.zones.n && !want.switches)
			return 0;
		ret = zone_image_hang(image, z->in.session, images_at(z->in.images, image->image),
				      &want);
	} while (ret == -ESRCH && (forget_gone(z, want.entry_pid) | forget_gone(z, want.exit_pid)));
	if (ret != -ESTALE)
		return ret;
	zone_guard_written(z, image);
	return 0;
}

int zone_hang_anew(struct zones *z, uint32_t number)
{
	int ret;

	do {
		zone_guard_heed(z);
		ret = zone_hang(z, number);
	} while (ret == -EAGAIN);
	return ret;
}

/* From here on the kernel counts what code @p maps; what it had before is read once more. */
static int begin_with(struct zones *z, struct zone_process *p)
{
	int ret = tell(z, p, WIRE_PROC_TARGET);

	(void)procs_snapshot(z->in.procs, p->pid);
	zones_process(z, p->pid);
	return ret;
}

/* @p has, or will have, calls off its threads' stacks. */
static void runs_coroutines(struct zones *z, struct zone_process *p)
{
	p->foreign = true;
	zone_session_watch_waits(z->in.session);
}

/* The image's probes, while @p runs its code. */
static int hang_in(struct zones *z, struct zone_process *p, uint32_t number)
{
	const struct zone_image *image = z->at.at[number];
	const bool was_met = zone_image_is_met(image, p->pid);
	int ret = zone_hang(z, number);

	/* A process that is gone wants nothing. */
	if (!ret && !was_met && image->list.zones.n && !p->before_exec &&
	    (zone_image_is_met(image, p->pid) || !p->wants))
		zone_process_ran_before(z, p);
	return ret;
}

/* Probes and flags of one process after a change of its code. Nothing is hijacked before it is
 * known to be safe, and nothing is seen to begin whose end would not be seen. */
static int settle(struct zones *z, struct zone_process *p)
{
	uint32_t flags;
	int ret = 0;

	p->dirty = false;
	if (!zone_process_has_zones(z, p))
		return zone_is_for_all(z->in.target) ? 0 : tell(z, p, WIRE_PROC_TARGET);
	if (!p->told && !p->before_exec)
		return begin_with(z, p);
	if (!p->foreign && zone_decide_coroutines(z, p))
		runs_coroutines(z, p);
	flags = p->wants = zone_decide_flags(z, p);
	zone_limit_refused(z, p);
	if (p->flags & WIRE_PROC_HIJACK && !(flags & WIRE_PROC_HIJACK))
		ret = tell(z, p, WIRE_PROC_TARGET);
	for (size_t i = 0; i < p->images.n && !ret; i++)
		ret = hang_in(z, p, p->images.at[i]);
	if (!ret && (flags != p->flags || p->code_seen != p->code_told))
		ret = tell(z, p, flags);
	return ret;
}

/* While a translator starts nothing is hung that was decided on before. */
static int settle_anew(struct zones *z, struct zone_process *p)
{
	int ret;

	do {
		zone_guard_heed(z);
		ret = settle(z, p);
	} while (ret == -EAGAIN);
	return ret;
}

/* Of all of them first: one that is alone with a file has its probes for itself. */
static void decide_flags(struct zones *z)
{
	for (size_t i = 0; i < z->processes.n; i++)
		if (z->processes.at[i]->dirty)
			z->processes.at[i]->wants = zone_decide_flags(z, z->processes.at[i]);
}

static int settle_dirty(struct zones *z, bool first)
{
	int ret = 0;

	for (size_t i = 0; i < z->processes.n && !ret; i++) {
		if (!z->processes.at[i]->dirty)
			continue;
		ret = settle_anew(z, z->processes.at[i]);
		if (ret && !first) {
			zone_note(z, err_text());
			ret = 0;
		}
	}
	return ret;
}

/* Where a capture begins that nothing could be captured of, it is an error. */
static int check_forbidden(const struct zones *z)
{
	if (!z->forbidden)
		return 0;
	for (size_t i = 0; i < z->at.n; i++)
		if (z->at.at[i]->hanging.entries != HANG_NOTHING)
			return 0;
	return err(-EBUSY, "%s", z->forbidden);
}

int zones_settle(struct zones *z, bool first)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int ret = 0;

	if (first) {
		zone_watch_init(z);
		zone_guard_find(z);
	}
	/* A process that is met first makes a second round. */
	for (int round = 0; round < 2 && !ret && (z->unsettled || !round); round++) {
		z->unsettled = false;
		for (size_t i = 0; i < z->processes.n; i++)
			if (z->processes.at[i]->dirty && !z->processes.at[i]->before_exec)
				zone_process_gather(z, z->processes.at[i]);
		if (first && !round)
			zone_named_find(z);
		zone_read_new(z);
		if (first && !round)
			ret = zone_read_check(z);
		decide_flags(z);
		if (first && !round && !ret)
			ret = zone_limit_expect(z);
		if (!ret)
			ret = settle_dirty(z, first);
	}
	if (first && !ret)
		ret = zone_named_hang(z);
	if (first && !ret)
		ret = check_forbidden(z);
	z->attach_ns += (int64_t)(clock_ns(CLOCK_MONOTONIC) - start);
	return ret;
}

void zones_heed(struct zones *z)
{
	if (zones_active(z))
		zone_guard_heed(z);
}

int64_t zones_cpu_ns(const struct zones *z)
{
	return zones_active(z) ? keeper_cpu_ns(z->in.session->keeper) +
					 calibration_cpu_ns(z->in.calibration)
			       : 0;
}

uint64_t zones_calls(const struct zones *z)
{
	uint64_t n = 0;

	for (size_t i = 0; i < z->limit.zones.n; i++)
		n += z->limit.zones.at[i].timed + z->limit.zones.at[i].counted;
	return n;
}

struct program_run zones_run(const struct zones *z, const struct profile *p)
{
	return zones_active(z) ? zone_cost_run(z, p) : (struct program_run){0};
}

void zones_start(struct zones *z)
{
	z->counting = true;
	zonemaps_enable(z->in.session->maps, true);
	calibration_start(z->in.calibration);
	zone_limit_tick(z);
}

uint64_t zones_due_ns(const struct zones *z)
{
	return calibration_due_ns(z->in.calibration);
}

bool zones_round(struct zones *z)
{
	if (clock_ns(CLOCK_MONOTONIC) < zones_due_ns(z))
		return false;
	calibration_round(z->in.calibration, zone_cost_which(z));
	return true;
}

void zones_last_round(struct zones *z)
{
	zonemaps_look_again(z->in.session->maps);
	calibration_finish(z->in.calibration, zone_cost_which(z));
}

void zones_stop(struct zones *z)
{
	zonemaps_enable(z->in.session->maps, false);
}

/* The kernel takes its time for thousands. */
void zones_take_away(struct zones *z)
{
	for (size_t i = 0; i < z->at.n; i++)
		keeper_drop(z->in.session->keeper, &z->at.at[i]->links);
	calibration_stop(z->in.calibration);
}

static void know_thread(struct zones *z, uint32_t number, uint32_t thread)
{
	while (z->thread_of.n <= number)
		vec_push(&z->thread_of, NO_THREAD);
	z->thread_of.at[number] = thread;
}

void zones_drained(struct zones *z)
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

char *zones_waiting(const struct zones *z)
{
	return zones_active(z) ? zone_read_waiting(z) : NULL;
}

const char *zones_forbidden(const struct zones *z)
{
	return z->forbidden;
}

size_t zones_count(const struct zones *z)
{
	size_t n = 0;

	for (size_t i = 0; i < z->at.n; i++)
		for (size_t k = 0; k < z->at.at[i]->list.zones.n; k++)
			n += zone_image_has(z->at.at[i], k);
	return n;
}

/* --- the source ----------------------------------------------------------------------------- */

static void take_thread(struct zones *z, const struct wire_zone_record *r, struct procs *procs)
{
	know_thread(z, r->number,
		    procs_thread(procs, r->pid, r->tid ? r->tid : r->pid, r->time_ns));
}

static void zones_take(void *state, const void *record, struct stacks *stacks, struct procs *procs)
{
	const struct wire_zone_record *r = record;
	struct zones *z = state;

	(void)stacks;
	if (r->news == WIRE_NEWS_THREAD && r->number < WIRE_ZONE_THREADS)
		take_thread(z, r, procs);
	if (r->news == WIRE_NEWS_FOREIGN) {
		runs_coroutines(z, zone_process_of(z, r->pid));
		zones_process(z, r->pid);
	}
	if (r->news == WIRE_NEWS_FORK)
		zone_process_saw_code(z, r->number, r->code);
	if (r->news == WIRE_NEWS_EXEC || r->news == WIRE_NEWS_MODULE)
		zone_process_saw_code(z, r->pid, r->code);
	if (r->news == WIRE_NEWS_PROC)
		zones_process(z, r->pid);
}

static size_t zones_taken(const void *state)
{
	(void)state;
	return 0;
}

static void zones_finish_source(const void *state, struct assembly *a)
{
	const struct zones *z = state;

	if (zones_active(z))
		zone_rows(z, a);
}

const struct source zones_source = {
	.name = "zones",
	.new = zones_new,
	.free = zones_free,
	.take = zones_take,
	.taken = zones_taken,
	.finish = zones_finish_source,
};
