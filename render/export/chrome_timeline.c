#include "export/chrome_timeline.h"

#include "base/json.h"
#include "export/trace_marks.h"
#include "export/trace_tracks.h"
#include "timeline/call_choice.h"
#include "timeline/own_work.h"

struct timeline {
	const struct profile *p;
	FILE *out;
	const char **before;
	const char *const *modules;
	uint32_t *first, *last;	     /* threads_first() */
	uint32_t *waits, *saves;     /* per thread: tid of these; 0: not named yet */
	struct map coroutines;	     /* hash of process and coroutine → tid */
	uint32_t next;		     /* of these tids */
	const struct thread *thread; /* of the track that is written */
	uint32_t tid;
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

static void begin_track(void *data, const struct track *track)
{
	struct timeline *t = data;
	_free_ char *name = track_name(track);
	bool fresh;

	t->thread = &t->p->threads.at[t->first[track->thread]];
	t->tid = name ? name_track(t, track->thread, name) : t->thread->tid;
	if (track->coroutine && !track->cut)
		*map_put(&t->coroutines, calls_coroutine_key(t->thread, track->coroutine), &fresh) =
			t->tid;
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
static void put_arguments(struct timeline *t, const struct call *c)
{
	const struct timed_event *at = t->p->events.at;
	const char *arguments =
		c->begin == CALLS_NONE ? "" : profile_text(t->p, at[c->begin].argument);
	const char *ended_by = track_ended_by(c);
	struct args a = {t->out, ARGS_NONE};

	put_text(&a, "\"arguments\":", arguments);
	put_text(&a, "\"ended by\":", ended_by);
	if (*arguments && !ended_by && c->end != CALLS_NONE)
		json_int(t->out, ",\"returned\":", at[c->end].value2);
	end_args(&a);
}

static void put_slice(void *data, const struct track_slice *s)
{
	struct timeline *t = data;
	const struct function *f = &t->p->functions.at[t->p->frames.at[s->call->frame].function];
	const char *name = profile_text(t->p, f->name);

	begin_event(t, "X", t->thread, t->tid, s->start_ns);
	json_thousandths(t->out, ",\"dur\":", (int64_t)(s->end_ns - s->start_ns));
	json_text(t->out, ",\"name\":", *name ? name : "?");
	put_category(t, f, s->call->flags & CALL_C);
	put_arguments(t, s->call);
	end_event(t);
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

/* The tid of the stack that an event happened on. */
static uint32_t tid_of(const struct timeline *t, const struct mark *m)
{
	const struct thread *thread = &t->p->threads.at[m->thread];
	const uint32_t coroutine = m->event->coroutine;
	const uint32_t *tid =
		coroutine ? map_get(&t->coroutines, calls_coroutine_key(thread, coroutine)) : NULL;

	return tid ? *tid : thread->tid;
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
		put_instant(t, m, tid_of(t, m));
	if (m->flow)
		put_flow(t, m, tid_of(t, m));
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
static void put_own_work(struct timeline *t, const struct profile *whole)
{
	const struct own_span span = own_work_span(t->p);
	own_levels levels;

	own_work_of(whole, t->p, &span, &levels);
	vec_each (l, &levels) {
		const struct thread *last = &t->p->threads.at[t->last[l->thread]];
		_free_ char *name = mem_printf("%s %u: %s", profile_text(t->p, last->name),
					       last->tid, OWN_WORK_NAME);

		begin_event(t, "C", last, 0, l->time_ns);
		json_text(t->out, ",\"name\":", name);
		json_double(t->out, ",\"args\":{\"value\":", l->percent);
		putc_unlocked('}', t->out);
		end_event(t);
	}
	vec_release(&levels);
}

static void put_counters(struct timeline *t)
{
	struct levels l;

	levels_cpu(t->p, &l);
	put_levels(t, &l);
	levels_live(t->p, &l);
	put_levels(t, &l);
}

int chrome_timeline_write(const struct export_input *in, const char *const *modules, FILE *out,
			  const char **before)
{
	const struct profile *p = in->part;
	static const struct track_writer tracks = {begin_track, put_slice, NULL};
	struct timeline t = {.p = p, .out = out, .before = before, .modules = modules};
	struct calls calls;
	const int rc = calls_find_selected(in->profile, p, in->selection, &calls);

	if (rc)
		return rc;
	t.first = threads_first(p, &t.last);
	t.waits = mem_zalloc(p->threads.n + 1, sizeof(*t.waits));
	t.saves = mem_zalloc(p->threads.n + 1, sizeof(*t.saves));
	tracks_walk(&calls, &tracks, &t);
	calls_release(&calls);
	marks_walk(p, t.first, put_mark, &t);
	put_counters(&t);
	put_own_work(&t, in->profile);
	map_release(&t.coroutines);
	free(t.waits);
	free(t.saves);
	free(t.first);
	free(t.last);
	return 0;
}
