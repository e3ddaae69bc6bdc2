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
#include "export/trace_marks.h"
#include "export/trace_tracks.h"
#include "model/meta.h"
#include "timeline/call_choice.h"
#include "timeline/own_work.h"

/* Numbers of tracks: of a thread, its waits, its samples … */
enum track_of_thread { OF_THREAD, OF_WAITS, OF_SAVES, TRACKS_A_THREAD };

struct writer {
	struct perfetto_packets to;
	const struct profile *whole, *p; /* p: the part of it that is written */
	const struct calls *calls;
	uint32_t *first, *last; /* threads_first() */
	struct map processes;	/* hash of pid and birth → uuid of its track */
	struct map live;	/* the same → of its counter */
	struct map coroutines;	/* lane's thread and coroutine → uuid */
	uint64_t *uuids;	/* per thread and enum track_of_thread; 0: not written yet */
	uint64_t next;		/* uuid */
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

static uint64_t stack_track(struct writer *w, uint32_t thread, uint32_t coroutine)
{
	const uint32_t *uuid =
		coroutine ? map_get(&w->coroutines,
				    calls_coroutine_key(&w->p->threads.at[thread], coroutine))
			  : NULL;

	return uuid ? *uuid : thread_track(w, w->first[thread]);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void track_begin_one(void *data, const struct track *t)
{
	struct writer *w = data;
	const uint32_t thread = w->first[t->thread];
	_free_ char *name = track_name(t);
	uint64_t uuid = thread_track(w, thread);
	bool fresh;

	if (name)
		uuid = put_track(w, (struct perfetto_track){.parent = uuid, .name = name});
	if (t->coroutine && !t->cut)
		*map_put(&w->coroutines,
			 calls_coroutine_key(&w->p->threads.at[thread], t->coroutine), &fresh) =
			(uint32_t)uuid;
	perfetto_next_sequence(&w->to, uuid);
}

static const char *arguments_of(const struct writer *w, const struct call *c)
{
	const uint32_t text = c->begin != CALLS_NONE ? w->p->events.at[c->begin].argument : 0;

	return text ? profile_text(w->p, text) : NULL;
}

static void slice_begin(void *data, const struct track_slice *s)
{
	struct writer *w = data;
	const struct function *f = function_of(w->p, s->call->frame);

	perfetto_put(&w->to, &(struct perfetto_event){
				     .type = PERFETTO_SLICE_BEGIN,
				     .time_ns = s->start_ns,
				     .name = f->name,
				     .name_text = "?",
				     .module = f->module,
				     .of_c = s->call->flags & CALL_C,
				     .arguments = arguments_of(w, s->call),
			     });
}

/* What a call returned was asked for together with its arguments. */
static void slice_end(void *data, const struct track_slice *s)
{
	struct writer *w = data;
	const struct timed_event *end =
		s->call->end != CALLS_NONE ? &w->p->events.at[s->call->end] : NULL;
	const char *ended_by = track_ended_by(s->call);

	perfetto_put(&w->to,
		     &(struct perfetto_event){
			     .type = PERFETTO_SLICE_END,
			     .time_ns = s->end_ns,
			     .ended_by = ended_by,
			     .returned = end && !ended_by && arguments_of(w, s->call) ? &end->value2
										      : NULL,
		     });
}

static void put_calls(struct writer *w)
{
	static const struct track_writer tracks = {track_begin_one, slice_begin, slice_end};

	tracks_walk(w->calls, &tracks, w);
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
	perfetto_put(&w->to, &e);
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
		perfetto_next_sequence(&w->to, samples_track(w, i));
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
	perfetto_put(&w->to, &e);
}

static void put_levels(struct writer *w, const struct levels *l, enum perfetto_unit unit)
{
	if (!l->name)
		return;
	perfetto_next_sequence(&w->to, put_track(w, (struct perfetto_track){.name = l->name,
									    .counter = true,
									    .unit = unit}));
	for (size_t i = 0; i < LEVELS; i++)
		if (!i || l->at[i] < l->at[i - 1] || l->at[i] > l->at[i - 1])
			perfetto_put(&w->to,
				     &(struct perfetto_event){.type = PERFETTO_COUNTER,
							      .time_ns = levels_time(w->p, i),
							      .measure = &l->at[i]});
}

/* A counter each thread. */
static void put_own_work(struct writer *w)
{
	const struct own_level *before = NULL;
	const struct own_span span = own_work_span(w->p);
	own_levels levels;

	own_work_of(w->whole, w->p, &span, &levels);
	vec_each (l, &levels) {
		if (!before || before->thread != l->thread)
			perfetto_next_sequence(
				&w->to, put_track(w, (struct perfetto_track){
							     .parent = thread_track(w, l->thread),
							     .name = OWN_WORK_NAME,
							     .counter = true}));
		perfetto_put(&w->to, &(struct perfetto_event){.type = PERFETTO_COUNTER,
							      .time_ns = l->time_ns,
							      .measure = &l->percent});
		before = l;
	}
	vec_release(&levels);
}

static void put_counters(struct writer *w)
{
	struct levels l;

	levels_cpu(w->p, &l);
	put_levels(w, &l, PERFETTO_UNIT_NONE);
	levels_live(w->p, &l);
	put_levels(w, &l, PERFETTO_UNIT_BYTES);
	put_own_work(w);
}

/* --- the trace -------------------------------------------------------------------------------- */

/* Whether the samples were made of the same calls, by an import. */
static bool samples_are_calls(const struct profile *p)
{
	return profile_has(p, PART_EVENTS) && profile_run(p, RUN_EXACT);
}

static void put_all(struct writer *w)
{
	/* The first sequence has the tracks of threads, which readers want to know first. */
	perfetto_next_sequence(&w->to, 0);
	for (uint32_t i = 0; i < w->p->threads.n; i++)
		(void)thread_track(w, w->first[i]);
	if (profile_has(w->p, PART_EVENTS))
		put_calls(w);
	if (profile_has(w->p, PART_SAMPLES) && !samples_are_calls(w->p))
		put_samples(w);
	perfetto_next_sequence(&w->to, 0);
	marks_walk(w->p, w->first, put_mark, w);
	put_counters(w);
}

static int perfetto_write(const struct export_input *in, FILE *out)
{
	struct writer w = {.whole = in->profile, .p = in->part};
	struct calls calls = {0};
	int rc = 0;

	if (in->tree && in->tree->of_zones)
		return err(-EINVAL, "zones have no times to show as a trace: the profile has "
				    "neither a timeline nor samples");
	if (profile_has(w.p, PART_EVENTS))
		rc = calls_find_selected(in->profile, w.p, in->selection, &calls);
	if (rc)
		return rc;
	w.calls = &calls;
	perfetto_begin(&w.to, w.p, out);
	w.first = threads_first(w.p, &w.last);
	w.uuids = mem_zalloc(w.p->threads.n + 1, TRACKS_A_THREAD * sizeof(*w.uuids));
	put_all(&w);
	map_release(&w.processes);
	map_release(&w.live);
	map_release(&w.coroutines);
	free(w.first);
	free(w.last);
	free(w.uuids);
	perfetto_end(&w.to);
	calls_release(&calls);
	return 0;
}

const struct export perfetto_export = {
	.name = "perfetto",
	.extension = "pftrace",
	.about = "Perfetto's own format: every call, exception and wake-up of a timeline",
	.reads = EXPORT_EVENTS,
	.write = perfetto_write,
};
