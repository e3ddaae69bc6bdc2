#include "export/chrome_timeline.h"

#include "base/json.h"
#include "export/trace_walk.h"
#include "timeline/timed_calls.h"

/* A slice whose call ended, and the event that ended it had as value2. */
struct held {
	struct followed_call call;
	bool ended;
	int64_t returned;
};

/* A track of calls. */
struct lane {
	const struct thread *thread;
	uint32_t tid;
	/* Slices that began when an open call around them did: that one is written first, or
	 * viewers would take them for what is around it. */
	VEC(struct held) held;
};

struct timeline {
	const struct profile *p;
	FILE *out;
	const char **before;
	const char *const *modules;
	uint32_t *first, *last;	 /* threads_first() */
	uint32_t *waits, *saves; /* per thread: tid of these; 0: not named yet */
	struct map coroutines;	 /* hash of process and coroutine → tid */
	uint32_t next;		 /* of these tids */
	VEC(struct lane) lanes;
	struct lane cut; /* of calls that began before, the track that is written */
};

static void begin_event(struct timeline *t, const char *phase, const struct thread *thread,
			uint32_t tid, uint64_t time_ns)
{
	fputs_unlocked(*t->before, t->out);
	*t->before = ",\n";
	json_text(t->out, "{\"ph\":", phase);
	json_int(t->out, ",\"pid\":", thread ? thread->pid : 0);
	if (tid)
		json_int(t->out, ",\"tid\":", tid);
	json_thousandths(t->out, ",\"ts\":", (int64_t)time_ns);
}

static void end_event(struct timeline *t)
{
	putc_unlocked('}', t->out);
}

/* A track below a thread's: its tid. */
static uint32_t name_track(struct timeline *t, uint32_t thread, const char *name)
{
	const struct thread *of = &t->p->threads.at[t->last[t->first[thread]]];
	_free_ char *whole = mem_printf("%s %u: %s", profile_text(t->p, of->name), of->tid, name);
	const uint32_t tid = CHROME_TRACKS + t->next++;

	fputs_unlocked(*t->before, t->out);
	*t->before = ",\n";
	json_int(t->out, "{\"ph\":\"M\",\"pid\":", of->pid);
	json_int(t->out, ",\"tid\":", tid);
	json_text(t->out, ",\"name\":\"thread_name\",\"args\":{\"name\":", whole);
	fputs_unlocked("}}", t->out);
	return tid;
}

/* --- calls ------------------------------------------------------------------------------------ */

static uint32_t named_tid(struct timeline *t, const struct track *track)
{
	_free_ char *name = track_name(track);

	return name ? name_track(t, track->thread, name)
		    : t->p->threads.at[t->first[track->thread]].tid;
}

/* The tid of a thread's own stack, or a coroutine's. */
static uint32_t stack_tid(struct timeline *t, uint32_t thread, uint32_t coroutine)
{
	const struct track track = {.thread = thread, .coroutine = coroutine};
	const struct thread *is = &t->p->threads.at[thread];
	bool fresh;
	uint32_t *tid;

	if (!coroutine)
		return is->tid;
	tid = map_put(&t->coroutines, calls_coroutine_key(is, coroutine), &fresh);
	if (fresh)
		*tid = named_tid(t, &track);
	return *tid;
}

static struct lane *lane_of(struct timeline *t, const struct track *track)
{
	while (!track->cut && t->lanes.n <= track->lane)
		(void)vec_add(&t->lanes);
	return track->cut ? &t->cut : &t->lanes.at[track->lane];
}

static void begin_track(void *data, const struct track *track)
{
	struct timeline *t = data;
	const struct lane lane = {.thread = &t->p->threads.at[t->first[track->thread]],
				  .tid = track->cut
						 ? named_tid(t, track)
						 : stack_tid(t, track->thread, track->coroutine)};

	*lane_of(t, track) = lane;
}

static void put_category(struct timeline *t, const struct function *f, bool of_c)
{
	const char *module = f->module ? t->modules[f->module] : "";
	_free_ char *both = of_c ? mem_printf("c_call%s%s", *module ? "," : "", module) : NULL;

	if (of_c || *module)
		json_text(t->out, ",\"cat\":", both ? both : module);
}

/* Texts in "args", those that are not empty, and a number. */
struct args {
	FILE *out;
	const char *next; /* what is before the next one */
};
#define ARGS_NONE ",\"args\":{"

static void put_text(struct args *a, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	fputs_unlocked(a->next, a->out);
	json_text(a->out, key, text);
	a->next = ",";
}

static void end_args(const struct args *a)
{
	if (a->next[1] == '\0')
		putc_unlocked('}', a->out);
}

/* What a call returned was asked for together with its arguments. */
static void put_arguments(struct timeline *t, const struct held *h)
{
	const char *arguments = profile_text(t->p, h->call.call.argument);
	const char *ended_by = track_ended_by(&h->call.call);
	struct args a = {t->out, ARGS_NONE};

	put_text(&a, "\"arguments\":", arguments);
	put_text(&a, "\"ended by\":", ended_by);
	if (*arguments && !ended_by && h->ended)
		json_int(t->out, ",\"returned\":", h->returned);
	end_args(&a);
}

static void put_slice(struct timeline *t, const struct lane *lane, const struct held *h,
		      uint64_t end_ns)
{
	const struct call *call = &h->call.call;
	const struct function *f = &t->p->functions.at[t->p->frames.at[call->frame].function];
	const char *name = profile_text(t->p, f->name);

	begin_event(t, "X", lane->thread, lane->tid, call->start_ns);
	json_thousandths(t->out, ",\"dur\":", (int64_t)(end_ns - call->start_ns));
	json_text(t->out, ",\"name\":", *name ? name : "?");
	put_category(t, f, call->flags & CALL_C);
	put_arguments(t, h);
	end_event(t);
}

static int by_begin(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	return order_up(x->call.call.begin, y->call.call.begin);
}

/* Those that began at @start_ns are the last that are held. */
static void put_held(struct timeline *t, struct lane *lane, uint64_t start_ns)
{
	size_t from = lane->held.n;

	while (from && lane->held.at[from - 1].call.call.start_ns == start_ns)
		from--;
	if (from == lane->held.n)
		return;
	qsort(lane->held.at + from, lane->held.n - from, sizeof(*lane->held.at), by_begin);
	for (size_t i = from; i < lane->held.n; i++)
		put_slice(t, lane, &lane->held.at[i], lane->held.at[i].call.call.end_ns);
	lane->held.n = from;
}

static void begin_slice(void *data, const struct track_slice *s)
{
	struct timeline *t = data;

	if (s->track.cut)
		put_slice(t, &t->cut, &(struct held){.call = *s->call}, s->end_ns);
}

static void end_slice(void *data, const struct track_slice *s)
{
	struct timeline *t = data;
	struct lane *lane = lane_of(t, &s->track);
	const struct held h = {*s->call, s->end, s->end ? s->end->value2 : 0};

	if (s->track.cut)
		return;
	if (s->around && s->around->call.start_ns == s->start_ns) {
		vec_push(&lane->held, h);
		return;
	}
	put_slice(t, lane, &h, s->end_ns);
	put_held(t, lane, s->start_ns);
}

/* --- marks ------------------------------------------------------------------------------------ */

static void put_instant(struct timeline *t, const struct mark *m, uint32_t tid)
{
	struct args a = {t->out, ARGS_NONE};

	begin_event(t, "i", &t->p->threads.at[m->thread], tid, m->time_ns);
	json_text(t->out, ",\"s\":\"t\",\"name\":", m->name);
	put_text(&a, "\"arguments\":", m->detail);
	end_args(&a);
	end_event(t);
}

static void put_flow(struct timeline *t, const struct mark *m, uint32_t tid)
{
	const bool ends = m->kind == MARK_RUNS;

	begin_event(t, ends ? "f" : "s", &t->p->threads.at[m->thread], tid, m->time_ns);
	json_int(t->out, ",\"id\":", m->flow);
	fputs_unlocked(ends ? ",\"bp\":\"e\"" : "", t->out);
	fputs_unlocked(",\"name\":\"wakeup\",\"cat\":\"wakeup\"", t->out);
	end_event(t);
}

/* On a track below the thread's, whose tid is or will be *@tid. */
static void put_span(struct timeline *t, const struct mark *m, uint32_t *tid, const char *track)
{
	*tid = *tid ? *tid : name_track(t, m->thread, track);
	begin_event(t, "X", &t->p->threads.at[m->thread], *tid, m->since_ns);
	json_thousandths(t->out, ",\"dur\":", (int64_t)(m->time_ns - m->since_ns));
	json_text(t->out, ",\"name\":", m->name);
	if (m->kind == MARK_SAVE_END && m->value) {
		json_int(t->out, ",\"args\":{\"returned\":", m->value);
		putc_unlocked('}', t->out);
	}
	end_event(t);
}

static void put_live(struct timeline *t, const struct mark *m)
{
	begin_event(t, "C", &t->p->threads.at[m->thread], 0, m->time_ns);
	json_int(t->out, ",\"name\":\"live bytes\",\"args\":{\"value\":", m->value);
	putc_unlocked('}', t->out);
	end_event(t);
}

static void put_mark(void *data, const struct mark *m)
{
	struct timeline *t = data;

	if (m->kind == MARK_WAIT_END)
		put_span(t, m, &t->waits[m->thread], "waits");
	else if (m->kind == MARK_SAVE_END)
		put_span(t, m, &t->saves[m->thread], TRACE_SAVE_TRACK);
	else if (m->kind == MARK_LIVE)
		put_live(t, m);
	else if (m->kind != MARK_WAIT_BEGIN && m->kind != MARK_SAVE_BEGIN)
		put_instant(t, m, stack_tid(t, m->thread, m->event->coroutine));
	if (m->flow)
		put_flow(t, m, stack_tid(t, m->thread, m->event->coroutine));
}

static void put_levels(struct timeline *t, const struct levels *l)
{
	for (size_t i = 0; i < LEVELS && l->name; i++) {
		if (i && l->at[i] <= l->at[i - 1] && l->at[i] >= l->at[i - 1])
			continue;
		begin_event(t, "C", NULL, 0, levels_time(t->p, i));
		json_text(t->out, ",\"name\":", l->name);
		json_double(t->out, ",\"args\":{\"value\":", l->at[i]);
		putc_unlocked('}', t->out);
		end_event(t);
	}
}

/* A counter each thread: the format's are a process's. */
static void put_own_work(struct timeline *t, const own_levels *levels)
{
	vec_each (l, levels) {
		const struct thread *last = &t->p->threads.at[t->last[l->thread]];
		_free_ char *name = mem_printf("%s %u: %s", profile_text(t->p, last->name),
					       last->tid, OWN_WORK_NAME);

		begin_event(t, "C", last, 0, l->time_ns);
		json_text(t->out, ",\"name\":", name);
		json_double(t->out, ",\"args\":{\"value\":", l->percent);
		putc_unlocked('}', t->out);
		end_event(t);
	}
}

static void put_counters(struct timeline *t, const struct trace_sums *sums)
{
	struct levels l;

	levels_cpu(t->p, &l);
	put_levels(t, &l);
	if (!sums->allocations) {
		levels_live(t->p, &l);
		put_levels(t, &l);
	}
	put_own_work(t, &sums->own_work);
}

int chrome_timeline_write(const struct export_input *in, const char *const *modules, FILE *out,
			  const char **before)
{
	const struct profile *p = in->part;
	static const struct trace_writer writer = {{begin_track, begin_slice, end_slice}, put_mark};
	struct timeline t = {.p = p, .out = out, .before = before, .modules = modules};
	struct trace_sums sums;
	int rc;

	t.first = threads_first(p, &t.last);
	t.waits = mem_zalloc(p->threads.n + 1, sizeof(*t.waits));
	t.saves = mem_zalloc(p->threads.n + 1, sizeof(*t.saves));
	rc = trace_walk(in, t.first, &writer, &t, &sums);
	if (!rc)
		put_counters(&t, &sums);
	trace_sums_release(&sums);
	vec_each (lane, &t.lanes)
		vec_release(&lane->held);
	vec_release(&t.lanes);
	map_release(&t.coroutines);
	free(t.waits);
	free(t.saves);
	free(t.first);
	free(t.last);
	return rc;
}
