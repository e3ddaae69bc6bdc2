#include "export/trace_marks.h"

#include "base/hash.h"
#include "base/mem.h"
#include "model/timed_event.h"
#include "timeline/timed_calls.h"

/* What has begun and did not end yet. */
struct span {
	bool open;
	struct timed_event begin;
};

struct marks {
	const struct profile *p;
	const uint32_t *first;
	void (*put)(void *data, const struct mark *);
	void *data;
	struct span *out;   /* per thread: its open wait */
	struct span *saves; /* the same of what the profiler saves */
	struct map woken; /* hash of pid and tid → the flow of its last wake-up; 0: it ran since */
	struct map by_process; /* hash of pid and birth → index of live */
	VEC(int64_t) live;     /* bytes */
	uint32_t flows;
};

static const char *function_of(const struct profile *p, uint32_t frame)
{
	return profile_text(p, p->functions.at[p->frames.at[frame].function].name);
}

static struct mark mark_of(const struct marks *m, const struct timed_event *e, enum mark_kind kind)
{
	const char *argument = profile_text(m->p, e->argument);

	return (struct mark){.kind = kind,
			     .event = e,
			     .time_ns = e->time_ns,
			     .thread = m->first[e->thread],
			     .name = timed_event_name(e->event),
			     .detail = *argument ? argument : function_of(m->p, e->frame)};
}

/* --- waits, saves and wake-ups
 * ----------------------------------------------------------------------- */

/* What of a thread has begun at @e: a wait off the CPU, or that the profiler saves events. */
static struct mark span_of(const struct marks *m, const struct timed_event *e, enum mark_kind kind)
{
	struct mark is = mark_of(m, e, kind);

	if (e->event == EVENT_PROFILER_CALL) {
		is.name = TRACE_SAVE;
		is.value = e->value1;
	} else {
		is.name = *profile_text(m->p, e->argument) ? is.detail : "off CPU";
	}
	return is;
}

/* Ends what is open of the thread. @open: that of waits, or of saves. @ending: NULL at the end of
 * the timeline. */
static void end_span(struct marks *m, struct span *open, uint32_t thread,
		     const struct timed_event *ending, uint64_t now)
{
	const struct timed_event *begin = &open[thread].begin;
	struct mark is;

	if (!open[thread].open)
		return;
	is = span_of(m, begin, open == m->saves ? MARK_SAVE_END : MARK_WAIT_END);
	is.event = ending;
	is.since_ns = begin->time_ns;
	is.time_ns = now;
	open[thread].open = false;
	m->put(m->data, &is);
}

static void begin_span(struct marks *m, struct span *open, const struct timed_event *e)
{
	const struct mark is = span_of(m, e, open == m->saves ? MARK_SAVE_BEGIN : MARK_WAIT_BEGIN);

	end_span(m, open, is.thread, e, e->time_ns);
	open[is.thread] = (struct span){true, *e};
	m->put(m->data, &is);
}

static void wake(struct marks *m, const struct timed_event *e)
{
	struct mark is = mark_of(m, e, MARK_WAKES);
	bool fresh;

	is.flow = ++m->flows;
	*map_put(&m->woken, hash_two((uint64_t)e->value2, (uint64_t)e->value1), &fresh) = is.flow;
	m->put(m->data, &is);
}

/* The wait ends before the thread runs. */
static void run(struct marks *m, const struct timed_event *e)
{
	const struct thread *t = &m->p->threads.at[e->thread];
	uint32_t *flow = map_get(&m->woken, hash_two(t->pid, t->tid));
	struct mark is = mark_of(m, e, MARK_RUNS);

	end_span(m, m->out, is.thread, e, e->time_ns);
	if (!flow || !*flow)
		return;
	is.flow = *flow;
	is.name = "runs";
	*flow = 0;
	m->put(m->data, &is);
}

/* --- memory ----------------------------------------------------------------------------------- */

static int64_t *live_of(struct marks *m, const struct thread *t)
{
	const uint32_t i = map_number(&m->by_process, process_key(t), m->live.n);

	if (i == m->live.n)
		vec_push(&m->live, 0);
	return &m->live.at[i];
}

static void allocate(struct marks *m, const struct timed_event *e, int64_t bytes)
{
	struct mark is = mark_of(m, e, MARK_LIVE);
	int64_t *live = live_of(m, &m->p->threads.at[e->thread]);

	if (__builtin_add_overflow(*live, bytes, live))
		*live = bytes < 0 ? INT64_MIN : INT64_MAX;
	is.value = *live;
	m->put(m->data, &is);
}

static int64_t freed(const struct timed_event *e)
{
	return e->value2 > INT64_MIN ? -e->value2 : INT64_MAX;
}

/* --- instants --------------------------------------------------------------------------------- */

static void put_instant(struct marks *m, const struct timed_event *e, const char *name)
{
	struct mark is = mark_of(m, e, MARK_INSTANT);

	is.name = name;
	is.value = e->value1;
	m->put(m->data, &is);
}

/* The others end a call, and are in its slice. */
static void put_exception(struct marks *m, const struct timed_event *e)
{
	if (e->value1 == EVENT_THROWN || e->value1 == EVENT_CAUGHT)
		put_instant(m, e,
			    e->value1 == EVENT_THROWN ? "exception thrown" : "exception caught");
}

void marks_take(struct marks *m, const struct timed_event *e)
{
	switch (e->event) {
	case EVENT_EXCEPTION:
	case EVENT_C_EXCEPTION:
		put_exception(m, e);
		break;
	case EVENT_SWITCH_OUT:
		begin_span(m, m->out, e);
		break;
	case EVENT_SWITCH_IN:
		run(m, e);
		break;
	case EVENT_WAKEUP:
		wake(m, e);
		break;
	case EVENT_MALLOC:
	case EVENT_CALLOC:
	case EVENT_REALLOC:
		allocate(m, e, e->value2);
		break;
	case EVENT_FREE:
	case EVENT_REALLOC_FREE:
		allocate(m, e, freed(e));
		break;
	case EVENT_PROFILER_CALL:
		begin_span(m, m->saves, e);
		break;
	case EVENT_PROFILER_RETURN:
		end_span(m, m->saves, m->first[e->thread], e, e->time_ns);
		break;
	default:
		if (!timed_event_begins(e) && !timed_event_ends(e))
			put_instant(m, e, timed_event_name(e->event));
	}
}

static void end_all(struct marks *m)
{
	const uint64_t end_ns = calls_end_ns(m->p);

	for (uint32_t i = 0; i < m->p->threads.n; i++) {
		end_span(m, m->out, i, NULL, end_ns);
		end_span(m, m->saves, i, NULL, end_ns);
	}
}

struct marks *marks_new(const struct profile *p, const uint32_t *first,
			void (*put)(void *data, const struct mark *), void *data)
{
	struct marks *m = mem_zalloc(1, sizeof(*m));

	*m = (struct marks){.p = p,
			    .first = first,
			    .put = put,
			    .data = data,
			    .out = mem_zalloc(p->threads.n + 1, sizeof(*m->out)),
			    .saves = mem_zalloc(p->threads.n + 1, sizeof(*m->saves))};
	return m;
}

bool marks_finish(struct marks *m)
{
	const bool allocations = m->live.n;

	end_all(m);
	free(m->out);
	free(m->saves);
	map_release(&m->woken);
	map_release(&m->by_process);
	vec_release(&m->live);
	free(m);
	return allocations;
}

/* --- levels ----------------------------------------------------------------------------------- */

uint64_t levels_time(const struct profile *p, size_t part)
{
	return (uint64_t)((unsigned __int128)profile_length(p) * part / LEVELS);
}

/* The sums of a metric by part of the capture. */
static void add_up(const struct profile *p, size_t metric, struct levels *out)
{
	const uint64_t length = profile_length(p);

	for (size_t i = 0; i < p->samples.n; i++) {
		const uint64_t at = p->samples.at[i].time_ns;
		const size_t part = at < length ? (size_t)((unsigned __int128)at * LEVELS / length)
						: LEVELS - 1;

		out->at[part] += (double)p->samples.values.at[metric].at[i];
	}
}

static bool is_metric(const struct profile *p, const struct metric *m, const char *base,
		      const char *name, const char *unit)
{
	return !strcmp(profile_text(p, m->unit), unit) &&
	       (!base || !strcmp(profile_text(p, m->base), base)) &&
	       (!name || !strcmp(profile_text(p, m->name), name));
}

/* The first metric of that base and name, if the capture has a length; -1: none. */
static ptrdiff_t find_metric(const struct profile *p, const char *base, const char *name,
			     const char *unit)
{
	for (size_t i = 0; i < p->metrics.n && profile_length(p); i++)
		if (is_metric(p, &p->metrics.at[i], base, name, unit))
			return (ptrdiff_t)i;
	return -1;
}

void levels_cpu(const struct profile *p, struct levels *out)
{
	const ptrdiff_t metric = find_metric(p, METRIC_ON_CPU, NULL, "ns");
	const double part_ns = (double)profile_length(p) / LEVELS;

	*out = (struct levels){0};
	if (metric < 0)
		return;
	out->name = "CPUs busy";
	add_up(p, (size_t)metric, out);
	for (size_t i = 0; i < LEVELS; i++)
		out->at[i] /= part_ns;
}

void levels_live(const struct profile *p, struct levels *out)
{
	const ptrdiff_t metric = find_metric(p, NULL, HEAP_METRIC_LIVE, "bytes");

	*out = (struct levels){0};
	if (metric < 0)
		return;
	out->name = "live bytes";
	add_up(p, (size_t)metric, out);
	for (size_t i = 1; i < LEVELS; i++)
		out->at[i] += out->at[i - 1];
}
