#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "load/ksyms.h"
#include "source/intake.h"
#include "source/source.h"
#include "symbol/procfs.h"

#define MOST_UNDRAINED_NS 10000000u
#define MOST_ROUNDS	  8
#define MOST_LAST_ROUNDS  64

/* Of the ring, in memory: no more than the ring itself has. What comes faster than it is taken in
 * stays there, and is lost there when that is full, which the programs count. */
#define MOST_PENDING (16u << 20)

/* The sources, each with the kind of its records. */
static const struct {
	uint32_t kind;
	const struct source *source;
} sources[] = {
#define SOURCE(name, KIND, number) {KIND, &name##_source},
#include "sources.def"
#undef SOURCE
};
#define SOURCES (sizeof(sources) / sizeof(*sources))

static bool follows_all(const struct intake *in)
{
	return in->target->kind == TARGET_ALL || in->target->kind == TARGET_CGROUP;
}

static bool follows(const struct intake *in, uint32_t pid)
{
	return follows_all(in) || map_get(&in->followed, pid);
}

static void follow(struct intake *in, uint32_t pid)
{
	bool fresh;

	map_put(&in->followed, pid, &fresh);
}

/* The code of @pid is not what it was. */
static void zones_see(struct intake *in, uint32_t pid)
{
	if (!zones_active(in->zones))
		return;
	zones_process(in->zones, pid);
}

static void keep_record(void *context, const void *record, size_t bytes)
{
	struct intake *in = context;
	const struct wire_head *head = record;

	pending_ring(&in->pending, record, bytes, head->time_ns);
}

static int drain_ring(struct intake *in)
{
	uint64_t n = in->pending.bytes.n;
	int ret = session_drain(in->session, n < MOST_PENDING ? MOST_PENDING - n : 0, keep_record,
				in);

	in->put_aside |= in->pending.bytes.n >= MOST_PENDING;
	return ret;
}

static bool is_ending(const struct intake *in)
{
	return in->ending && !in->ending->goes_on(in->ending->context);
}

/* A process that maps hundreds of files at once takes long to take in. Meanwhile the ring is not to
 * overflow: what is in it is put aside. */
static void make_room(struct intake *in)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - in->drained_ns < MOST_UNDRAINED_NS)
		return;
	in->drained_ns = now;
	(void)drain_ring(in);
	in->put_aside |= in->pending.items.n > 0;
	in->stop |= is_ending(in);
}

/* While others read code: the ring goes on to be drained, and the capture may end meanwhile. */
static bool goes_on(void *context)
{
	struct intake *in = context;

	make_room(in);
	return !is_ending(in);
}

/* It entered our PID namespace by its birth (setns(2)). */
static void take_newcomer(struct intake *in, const struct side_record *r)
{
	if (!follows_all(in))
		return;
	(void)procs_snapshot(in->procs, r->pid);
	zones_see(in, r->pid);
}

static void take_fork(struct intake *in, const struct side_record *r)
{
	if (r->parent_pid == PROCFS_OUTSIDE) {
		take_newcomer(in, r);
		return;
	}
	if (!follows(in, r->parent_pid))
		return;
	if (r->pid != r->parent_pid && !in->target->inherit && !follows_all(in))
		return;
	follow(in, r->pid);
	procs_fork(in->procs, r->parent_pid, r->pid, r->parent_tid, r->tid, r->time_ns);
	if (r->pid != r->parent_pid && zones_active(in->zones))
		zones_fork(in->zones, r->parent_pid, r->pid);
	session_adopt(in->session, r->parent_pid, r->pid, r->parent_tid, r->tid, r->time_ns);
}

/* Of all processes. */
static void tell_guard(struct intake *in, const struct side_record *r)
{
	if (!zones_active(in->zones))
		return;
	if (r->kind == SIDE_FORK)
		zones_born(in->zones, r->parent_pid, r->pid);
	else if (r->kind == SIDE_COMM && r->exec)
		zones_program(in->zones, r->pid, r->time_ns);
	else if (r->kind == SIDE_EXIT && r->pid == r->tid)
		zones_end(in->zones, r->pid, r->time_ns);
}

static void take_side(void *context, const struct side_record *r)
{
	struct intake *in = context;

	make_room(in);
	tell_guard(in, r);
	if (r->kind == SIDE_FORK) {
		take_fork(in, r);
	} else if (!follows(in, r->pid)) {
		return;
	} else if (r->kind == SIDE_COMM) {
		procs_comm(in->procs, r->pid, r->tid, r->text, r->exec, r->time_ns);
		if (r->exec && zones_active(in->zones))
			zones_exec(in->zones, r->pid);
	} else if (r->kind == SIDE_EXIT) {
		procs_exit(in->procs, r->pid, r->tid, r->time_ns);
		if (r->pid == r->tid && zones_active(in->zones))
			zones_leader_exit(in->zones, r->pid);
	} else {
		struct proc_mmap m = {
			.pid = r->pid,
			.tid = r->tid,
			.start = r->start,
			.end = r->end,
			.file_offset = r->file_offset,
			.id = {.path = r->text,
			       .build_id_bytes = r->build_id_bytes,
			       .dev_major = r->dev_major,
			       .dev_minor = r->dev_minor,
			       .inode = r->inode},
		};

		memcpy(m.id.build_id, r->build_id, sizeof(m.id.build_id));
		procs_mmap(in->procs, &m, r->time_ns);
		zones_see(in, r->pid);
	}
}

static void take_slice(struct intake *in, const struct wire_slice *slice)
{
	uint32_t stack = unwinder_walk(in->unwinder, slice, &in->stacks);

	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i].source->take_slice)
			sources[i].source->take_slice(in->states[i], slice, stack, &in->stacks,
						      in->procs);
}

static void take_ring(void *context, const void *record)
{
	struct intake *in = context;
	uint32_t kind = *(const uint32_t *)record;

	make_room(in);
	if (kind == WIRE_STACK)
		stacks_add(&in->stacks, record, in->procs);
	if (kind == WIRE_WANT)
		unwinder_want(in->unwinder, record);
	if (kind == WIRE_SLICE)
		take_slice(in, record);
	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i].kind == kind)
			sources[i].source->take(in->states[i], record, &in->stacks, in->procs);
}

void intake_snapshot(struct intake *in)
{
	if (follows_all(in)) {
		procs_snapshot_all(in->procs);
		return;
	}
	for (size_t i = 0; i < in->target->pids.n; i++) {
		follow(in, in->target->pids.at[i]);
		(void)procs_snapshot(in->procs, in->target->pids.at[i]);
	}
}

static void see_one(void *context, uint32_t pid)
{
	zones_process(context, pid);
}

int intake_zones(struct intake *in, const struct zones_options *o)
{
	struct zones_input input = {.o = o,
				    .session = session_zones(in->session),
				    .images = in->images,
				    .procs = in->procs,
				    .target = in->target,
				    .wait = &in->wait};
	int ret;

	in->wait = (struct crew_wait){goes_on, in};
	in->calibration = input.calibration = calibrate(input.session);
	ret = zone_session_keep(input.session, &in->wait);
	if (ret)
		return ret;
	zones_configure(in->zones, &input);
	if (follows_all(in))
		(void)procfs_processes(see_one, in->zones);
	if (in->target->kind == TARGET_COMMAND)
		zones_command(in->zones, in->target->pids.at[0], in->target->argv[0]);
	for (size_t i = 0; i < in->target->pids.n; i++)
		zones_process(in->zones, in->target->pids.at[i]);
	return zones_settle(in->zones, true);
}

/* One round: what is there now, but for what is put aside meanwhile. */
static int drain(struct intake *in, bool last)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), lost;
	struct pending_handlers handlers = {take_ring, take_side, in, last ? NULL : &in->stop};
	struct pending taken;
	size_t first;
	int ret;

	in->put_aside = in->stop = false;
	ret = drain_ring(in);
	zones_heed(in->zones);
	in->drained_ns = now;
	first = in->pending.side.n;
	lost = sideband_drain(in->sideband, &in->pending.side);
	pending_side(&in->pending, first);
	taken = in->pending;
	in->pending = (struct pending){0};
	pending_take(&taken, last ? UINT64_MAX : now, &handlers);
	in->put_aside |= !session_settle(in->session) && !last;
	pending_append(&taken, &in->pending);
	in->pending = taken;
	if (!last && zones_unsettled(in->zones))
		(void)zones_settle(in->zones, false);
	if (lost) {
		in->side_lost += lost;
		intake_snapshot(in);
	}
	if (procs_remaps(in->procs) != in->remaps) {
		in->remaps = procs_remaps(in->procs);
		session_new_epoch(in->session);
	}
	return ret;
}

int intake_drain(struct intake *in, bool last)
{
	int ret = drain(in, last);

	/* Nothing wakes the loader again for what it has put aside. While events come faster than
	 * they are taken in, the rest waits for the next time. At the last time none come any
	 * more. */
	for (int round = 1; !ret && in->put_aside; round++) {
		if (round >= (last ? MOST_LAST_ROUNDS : MOST_ROUNDS) || (!last && is_ending(in)))
			break;
		ret = drain(in, last);
	}
	return ret;
}

static bool is_made_up(void *unwinder, struct place place)
{
	return unwinder && unwinder_is_made_up(unwinder, place);
}

int intake_init(struct intake *in, const struct target *target, struct session *session)
{
	int ret;

	*in = (struct intake){
		.target = target, .session = session, .sideband = session_sideband(session)};
	in->images = images_new();
	images_set_kernel_names(in->images, ksyms_find);
	if (session_zones(session))
		images_part_copies(in->images);
	in->procs = procs_new(in->images);
	in->states = mem_zalloc(SOURCES, sizeof(*in->states));
	for (size_t i = 0; i < SOURCES; i++) {
		in->states[i] = sources[i].source->new ();
		if (sources[i].source == &zones_source)
			in->zones = in->states[i];
	}
	ret = session_tables(session, &in->tables);
	if (!ret)
		in->unwinder = unwinder_new(in->tables, in->images, in->procs);
	in->stacks.is_made_up = is_made_up;
	in->stacks.context = in->unwinder;
	return ret;
}

void intake_release(struct intake *in)
{
	for (size_t i = 0; in->states && i < SOURCES; i++)
		sources[i].source->free(in->states[i]);
	free(in->states);
	stacks_release(&in->stacks);
	unwinder_free(in->unwinder);
	tables_free(in->tables);
	procs_free(in->procs);
	images_free(in->images);
	pending_release(&in->pending);
	map_release(&in->followed);
	calibration_free(in->calibration);
}

uint64_t intake_taken(const struct intake *in)
{
	uint64_t n = 0;

	for (size_t i = 0; i < SOURCES; i++)
		n += sources[i].source->taken(in->states[i]);
	return n;
}

void intake_finish(const struct intake *in, struct assembly *a)
{
	for (size_t i = 0; i < SOURCES; i++)
		sources[i].source->finish(in->states[i], a);
}
