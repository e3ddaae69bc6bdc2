/*
 * perfetto: a trace of Perfetto's own format, for ui.perfetto.dev and trace_processor: protocol
 * buffers, which are written as they are made, one packet for each event.
 *
 * Each track is a sequence of packets (perfetto_packets.h): the calls of a thread's own stack on
 * the thread's track; those of coroutines, and those that began before the timeline, on tracks
 * below it. Exceptions, triggers, gaps and wake-ups are instants, in one sequence together; waits
 * off the CPU are slices on a track of their own; a flow leads from a wake-up to where the thread
 * runs again. Counters show live bytes, busy CPUs, and how much of each thread's time the profiler
 * took; when an older one saved its events is a slice on a track of its own.
 *
 * Of a profile without a timeline the slices are those that its samples show (lanes.h).
 */
#include "export/export.h"

#include <errno.h>

#include "base/err.h"
#include "export/lanes.h"
#include "export/perfetto_packets.h"
#include "export/trace_walk.h"
#include "timeline/timed_calls.h"
#include "model/meta.h"

/* Numbers of tracks: of a thread, its waits, its samples … */
enum track_of_thread { OF_THREAD, OF_WAITS, OF_SAVES, TRACKS_A_THREAD };

struct writer {
	struct perfetto_packets to;
	const struct profile *p;	   /* the part that is written */
	uint32_t *first, *last;		   /* threads_first() */
	VEC(struct packet_sequence) calls; /* by lane */
	struct packet_sequence cut,
		others;	       /* of calls, of the track that is written; of the rest */
	struct map processes;  /* hash of pid and birth → uuid of its track */
	struct map live;       /* the same → of its counter */
	struct map coroutines; /* lane's thread and coroutine → uuid */
	uint64_t *uuids;       /* per thread and enum track_of_thread; 0: not written yet */
	uint64_t next;	       /* uuid */
};

static const struct function *function_of(const struct profile *p, uint32_t frame)
{
	return &p->functions.at[p->frames.at[frame].function];
}

/* --- tracks ----------------------------------------------------------------------------------- */

static uint64_t put_track(struct writer *w, struct perfetto_track t)
{
	t.uuid = ++w->next;
	perfetto_put_track(&w->to, &t);
	return t.uuid;
}

static uint64_t process_track(struct writer *w, uint32_t thread)
{
	const struct thread *t = &w->p->threads.at[thread];
	bool fresh;
	uint32_t *uuid = map_put(&w->processes, process_key(t), &fresh);

	if (fresh)
		*uuid = (uint32_t)put_track(w, (struct perfetto_track){.process = t});
	return *uuid;
}

static uint64_t *uuid_of(struct writer *w, uint32_t thread, enum track_of_thread which)
{
	return &w->uuids[(size_t)thread * TRACKS_A_THREAD + which];
}

/* @thread is one that threads_first() has. */
static uint64_t thread_track(struct writer *w, uint32_t thread)
{
	uint64_t *uuid = uuid_of(w, thread, OF_THREAD);

	if (!*uuid)
		*uuid = put_track(
			w, (struct perfetto_track){.parent = process_track(w, thread),
						   .thread = &w->p->threads.at[w->last[thread]]});
	return *uuid;
}

/* A track below the thread's. */
static uint64_t lower_track(struct writer *w, uint32_t thread, enum track_of_thread which,
			    const char *name)
{
	uint64_t *uuid = uuid_of(w, thread, which);

	if (!*uuid)
		*uuid = put_track(w, (struct perfetto_track){.parent = thread_track(w, thread),
							     .name = name});
	return *uuid;
}

static uint64_t named_track(struct writer *w, const struct track *t)
{
	_free_ char *name = track_name(t);
	const uint64_t thread = thread_track(w, w->first[t->thread]);

	return name ? put_track(w, (struct perfetto_track){.parent = thread, .name = name})
		    : thread;
}

/* Of a thread's own stack, or a coroutine's. */
static uint64_t stack_track(struct writer *w, uint32_t thread, uint32_t coroutine)
{
	const struct track track = {.thread = thread, .coroutine = coroutine};
	bool fresh;
	uint32_t *uuid;

	if (!coroutine)
		return thread_track(w, w->first[thread]);
	uuid = map_put(&w->coroutines, calls_coroutine_key(&w->p->threads.at[thread], coroutine),
		       &fresh);
	if (fresh)
		*uuid = (uint32_t)named_track(w, &track);
	return *uuid;
}

/* --- calls ------------------------------------------------------------------------------------ */

static struct packet_sequence *sequence_of(struct writer *w, const struct track *t)
{
	while (!t->cut && w->calls.n <= t->lane)
		(void)vec_add(&w->calls);
	return t->cut ? &w->cut : &w->calls.at[t->lane];
}

static void track_begin_one(void *data, const struct track *t)
{
	struct writer *w = data;
	const uint64_t uuid = t->cut ? named_track(w, t) : stack_track(w, t->thread, t->coroutine);

	perfetto_open(&w->to, sequence_of(w, t), uuid);
}

static const char *arguments_of(const struct writer *w, const struct track_slice *s)
{
	return s->call->call.argument ? profile_text(w->p, s->call->call.argument) : NULL;
}

static void slice_begin(void *data, const struct track_slice *s)
{
	struct writer *w = data;
	const struct call *call = &s->call->call;
	const struct function *f = function_of(w->p, call->frame);

	perfetto_put(&w->to, sequence_of(w, &s->track),
		     &(struct perfetto_event){
			     .type = PERFETTO_SLICE_BEGIN,
			     .time_ns = s->start_ns,
			     .name = f->name,
			     .name_text = "?",
			     .module = f->module,
			     .of_c = call->flags & CALL_C,
			     .arguments = arguments_of(w, s),
		     });
}

/* What a call returned was asked for together with its arguments. */
static void slice_end(void *data, const struct track_slice *s)
{
	struct writer *w = data;
	const char *ended_by = track_ended_by(&s->call->call);
	const bool returns = s->end && !ended_by && s->call->call.argument;

	perfetto_put(&w->to, sequence_of(w, &s->track),
		     &(struct perfetto_event){
			     .type = PERFETTO_SLICE_END,
			     .time_ns = s->end_ns,
			     .ended_by = ended_by,
			     .returned = returns ? &s->end->value2 : NULL,
		     });
}

/* --- samples ---------------------------------------------------------------------------------- */

static void put_sample_slice(void *data, uint64_t time_ns, uint32_t function)
{
	struct writer *w = data;
	const struct function *f = &w->p->functions.at[function];
	struct perfetto_event e = {.type = PERFETTO_SLICE_END, .time_ns = time_ns};

	if (function) {
		e.type = PERFETTO_SLICE_BEGIN;
		e.name = f->name;
		e.name_text = "?";
		e.module = f->module;
	}
	perfetto_put(&w->to, &w->others, &e);
}

static uint64_t samples_track(struct writer *w, uint32_t thread)
{
	const uint64_t parent = thread_track(w, w->first[thread]);

	return profile_has(w->p, PART_EVENTS)
		       ? put_track(w, (struct perfetto_track){.parent = parent, .name = "samples"})
		       : parent;
}

static void put_samples(struct writer *w)
{
	struct lanes lanes;

	lanes_build(w->p, &lanes);
	for (uint32_t i = 0; i < lanes.n; i++) {
		if (!lane_of(&lanes, i).n)
			continue;
		perfetto_open(&w->to, &w->others, samples_track(w, i));
		slices_walk(w->p, lane_of(&lanes, i), put_sample_slice, w);
	}
	lanes_release(&lanes);
}

/* --- marks ------------------------------------------------------------------------------------ */

static uint64_t live_counter(struct writer *w, uint32_t thread)
{
	bool fresh;
	uint32_t *uuid = map_put(&w->live, process_key(&w->p->threads.at[thread]), &fresh);

	if (fresh)
		*uuid = (uint32_t)put_track(
			w, (struct perfetto_track){.parent = process_track(w, thread),
						   .name = "live bytes",
						   .counter = true,
						   .unit = PERFETTO_UNIT_BYTES});
	return *uuid;
}

static struct perfetto_event save_event(struct writer *w, const struct mark *m)
{
	const bool begins = m->kind == MARK_SAVE_BEGIN;

	return (struct perfetto_event){
		.type = begins ? PERFETTO_SLICE_BEGIN : PERFETTO_SLICE_END,
		.time_ns = m->time_ns,
		.name_text = begins ? m->name : NULL,
		.returned = begins && m->value ? &m->value : NULL,
		.track = lower_track(w, m->thread, OF_SAVES, TRACE_SAVE_TRACK)};
}

static void put_mark(void *data, const struct mark *m)
{
	struct writer *w = data;
	struct perfetto_event e = {.type = PERFETTO_INSTANT,
				   .time_ns = m->time_ns,
				   .name_text = m->name,
				   .arguments = *m->detail ? m->detail : NULL,
				   .flow = m->flow,
				   .flow_ends = m->kind == MARK_RUNS};

	if (m->kind == MARK_WAIT_BEGIN || m->kind == MARK_WAIT_END) {
		e.type = m->kind == MARK_WAIT_BEGIN ? PERFETTO_SLICE_BEGIN : PERFETTO_SLICE_END;
		e.name_text = m->kind == MARK_WAIT_BEGIN ? m->name : NULL;
		e.arguments = NULL;
		e.track = lower_track(w, m->thread, OF_WAITS, "waits");
	} else if (m->kind == MARK_SAVE_BEGIN || m->kind == MARK_SAVE_END) {
		e = save_event(w, m);
	} else if (m->kind == MARK_LIVE) {
		e = (struct perfetto_event){.type = PERFETTO_COUNTER,
					    .time_ns = m->time_ns,
					    .track = live_counter(w, m->thread),
					    .count = &m->value};
	} else {
		e.track = stack_track(w, m->event->thread, m->event->coroutine);
	}
	perfetto_put(&w->to, &w->others, &e);
}

static void put_levels(struct writer *w, const struct levels *l, enum perfetto_unit unit)
{
	if (!l->name)
		return;
	perfetto_open(&w->to, &w->others,
		      put_track(w, (struct perfetto_track){
					   .name = l->name, .counter = true, .unit = unit}));
	for (size_t i = 0; i < LEVELS; i++)
		if (!i || l->at[i] < l->at[i - 1] || l->at[i] > l->at[i - 1])
			perfetto_put(&w->to, &w->others,
				     &(struct perfetto_event){.type = PERFETTO_COUNTER,
							      .time_ns = levels_time(w->p, i),
							      .measure = &l->at[i]});
}

/* A counter each thread. */
static void put_own_work(struct writer *w, const own_levels *levels)
{
	const struct own_level *before = NULL;

	vec_each (l, levels) {
		if (!before || before->thread != l->thread)
			perfetto_open(&w->to, &w->others,
				      put_track(w, (struct perfetto_track){
							   .parent = thread_track(w, l->thread),
							   .name = OWN_WORK_NAME,
							   .counter = true}));
		perfetto_put(&w->to, &w->others,
			     &(struct perfetto_event){.type = PERFETTO_COUNTER,
						      .time_ns = l->time_ns,
						      .measure = &l->percent});
		before = l;
	}
}

static void put_counters(struct writer *w, const struct trace_sums *sums)
{
	struct levels l;

	levels_cpu(w->p, &l);
	put_levels(w, &l, PERFETTO_UNIT_NONE);
	if (!sums->allocations) {
		levels_live(w->p, &l);
		put_levels(w, &l, PERFETTO_UNIT_BYTES);
	}
	put_own_work(w, &sums->own_work);
}

/* --- the trace -------------------------------------------------------------------------------- */

/* Whether the samples were made of the same calls, by an import. */
static bool samples_are_calls(const struct profile *p)
{
	return profile_has(p, PART_EVENTS) && profile_run(p, RUN_EXACT);
}

static int put_all(struct writer *w, const struct export_input *in)
{
	static const struct trace_writer writer = {{track_begin_one, slice_begin, slice_end},
						   put_mark};
	struct trace_sums sums = {0};
	int rc = 0;

	/* Readers want to know the tracks of threads first. */
	for (uint32_t i = 0; i < w->p->threads.n; i++)
		(void)thread_track(w, w->first[i]);
	perfetto_open(&w->to, &w->others, 0);
	if (profile_has(w->p, PART_EVENTS))
		rc = trace_walk(in, w->first, &writer, w, &sums);
	if (profile_has(w->p, PART_SAMPLES) && !samples_are_calls(w->p))
		put_samples(w);
	put_counters(w, &sums);
	trace_sums_release(&sums);
	return rc;
}

static int perfetto_write(const struct export_input *in, FILE *out)
{
	struct writer w = {.p = in->part};
	int rc;

	if (in->tree && in->tree->of_zones)
		return err(-EINVAL, "zones have no times to show as a trace: the profile has "
				    "neither a timeline nor samples");
	perfetto_begin(&w.to, w.p, out);
	w.first = threads_first(w.p, &w.last);
	w.uuids = mem_zalloc(w.p->threads.n + 1, TRACKS_A_THREAD * sizeof(*w.uuids));
	rc = put_all(&w, in);
	map_release(&w.processes);
	map_release(&w.live);
	map_release(&w.coroutines);
	vec_release(&w.calls);
	free(w.first);
	free(w.last);
	free(w.uuids);
	perfetto_end(&w.to);
	return rc;
}

const struct export perfetto_export = {
	.name = "perfetto",
	.extension = "pftrace",
	.about = "Perfetto's own format: every call, exception and wake-up of a timeline",
	.reads = EXPORT_EVENTS,
	.walks = true,
	.write = perfetto_write,
};
