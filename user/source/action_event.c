/*
 * action_event: the calls of functions one by one, in order of time: the timeline. The BPF programs
 * write them into the slots of an array; here they become rows once it is saved.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "model/timed_event.h"
#include "probe/engine.h"
#include "source/action.h"
#include "timeline/call_args.h"
#include "timeline/timeline_names.h"
#include "function/zonepattern.h"
#include "timeline/recording.h"
#include "timeline/timeline_ledger.h"
#include "timeline/timeline_rows.h"
#include "timeline/triggers.h"
#include "waits/callrule.h"

extern const struct action event_action;

struct timeline {
	struct recording recording;
	struct engine *engine;
	/* The places of the events of the window that ends, and of those that are not written. */
	uint64_t from, to;
	uint64_t ended_ns; /* CLOCK_MONOTONIC */
	struct triggers triggers;
	/* Of the functions that options are about; NULL: they are about none. */
	struct zonepatterns *of_trigger[TIMELINE_TRIGGERS];
	struct call_args args; /* that entries come with */
	uint64_t look_ns;      /* when triggers are due */
	bool stopped;
	recorded_events events; /* of the window that ends, in order of time */
	struct recorded became; /* of all of that window's */
	struct recorded before; /* of those of the windows before it */
};

/* Whether the condition is about that function. */
static bool is_about(void *state, uint32_t trigger, uint32_t number)
{
	const struct timeline *t = state;

	if (t->of_trigger[trigger])
		return timeline_names_match(t->engine, number, t->of_trigger[trigger]);
	return timeline_names_throws(t->engine, number);
}

static void found(void *state, uint32_t number, const struct zone_def *def, const char *pattern,
		  uint32_t argument)
{
	struct timeline *t = state;

	(void)pattern;
	(void)argument;
	call_args_found(&t->args, number, def, false);
}

static const struct signature *args_said(void *state, uint32_t number)
{
	const struct timeline *t = state;

	return call_args_of(&t->args, number);
}

static struct zonepatterns *one_pattern(const char *text)
{
	struct zonepatterns *p = zonepatterns_new();

	(void)zonepatterns_add(p, text);
	return p;
}

static void find_patterns(struct timeline *t)
{
	const struct timeline_options *o = &t->recording.o;

	triggers_init(&t->triggers, &t->recording, is_about, args_said, t);
	for (uint32_t i = 0; i < o->n_triggers; i++)
		if (o->triggers[i].pattern[0])
			t->of_trigger[i] = one_pattern(o->triggers[i].pattern);
}

static void *timeline_new(const void *engine)
{
	struct engine *e = (struct engine *)(uintptr_t)engine;
	struct timeline *t = mem_zalloc(1, sizeof(*t));

	t->engine = e;
	if (e->in.o->own[WIRE_ACTION_event])
		t->recording.o = *(const struct timeline_options *)e->in.o->own[WIRE_ACTION_event];
	find_patterns(t);
	call_args_init(&t->args, e, &t->recording.o);
	engine_watch(e, (struct engine_watcher){1u << WIRE_ACTION_event | 1u << WIRE_ACTION_moment,
						NULL, found, t});
	return t;
}

static void timeline_free(void *state)
{
	struct timeline *t = state;

	if (!t)
		return;
	recording_release(&t->recording);
	triggers_release(&t->triggers);
	for (size_t i = 0; i < TIMELINE_TRIGGERS; i++)
		zonepatterns_free(t->of_trigger[i]);
	call_args_release(&t->args);
	vec_release(&t->events);
	free(t);
}

static void captures(const void *options, double hz, struct str *out)
{
	const struct timeline_options *o =
		((const struct engine_options *)options)->own[WIRE_ACTION_event];

	(void)hz;
	timeline_options_text(o ? o : &(struct timeline_options){0}, out);
}

static void request(void *state, struct session_options *out)
{
	const struct timeline *t = state;

	recording_request(&t->recording, out);
	call_args_request(&t->args, out);
}

static void begin(void *state, const struct source_services *services)
{
	struct timeline *t = state;

	t->recording.session = services->session;
}

static int open_slots(void *state)
{
	struct timeline *t = state;

	return recording_begin(&t->recording, t->recording.session);
}

/* Events are looked at before newer ones may overwrite them. */
#define LOOK_NS 20000000u

static uint64_t due_ns(const void *state)
{
	const struct timeline *t = state;

	return t->recording.o.n_triggers && t->recording.slots && !t->stopped ? t->look_ns
									      : UINT64_MAX;
}

static bool look(void *state)
{
	struct timeline *t = state;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (now_ns < due_ns(t))
		return false;
	t->look_ns = now_ns + LOOK_NS;
	triggers_look(&t->triggers, false);
	return true;
}

static void keep(void *state)
{
	struct timeline *t = state;

	if (!t->recording.slots || t->stopped)
		return;
	if (!t->recording.o.n_triggers) {
		triggers_copy_all(&t->triggers);
		return;
	}
	triggers_ask(&t->triggers);
	triggers_look(&t->triggers, false);
}

static void drained(void *state)
{
	struct timeline *t = state;

	t->stopped = true;
}

static void progress(const void *state, struct str *out)
{
	const struct timeline *t = state;
	char n[UNITS_BUF];

	str_addf(out, "%s events  ",
		 units_count(n, sizeof(n), (int64_t)recording_made(&t->recording)));
}

/* --- the profile --------------------------------------------------------------------------------
 */

static const char *call_name(uint32_t number)
{
	const char *name = syscall_name(number, false);

	return name ? name : "";
}

static void finish(const void *state, struct assembly *a)
{
	const struct timeline *t = state;
	struct timeline_names names;

	profile_add_part(a->p, PART_EVENTS);
	timeline_names_init(&names, t->engine, a);
	for (size_t i = 0; i < names.by_number.n; i++)
		names.by_number.at[i].args = call_args_of(&t->args, (uint32_t)i);
	(void)timeline_rows(&(struct timeline_input){.functions = names.by_number.at,
						     .n_functions = (uint32_t)names.by_number.n,
						     .thread = timeline_names_thread,
						     .context = &names,
						     .call_name = call_name,
						     .o = &t->recording.o,
						     .older = t->became.older,
						     .start_ns = a->start_ns},
			    &t->events, a->p);
	timeline_names_release(&names);
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct timeline *t = state;
	struct recorded all = t->before;

	(void)in;
	recorded_add(&all, &t->became);
	timeline_costs(&t->recording, p);
	timeline_ledger(t->to, &all, p);
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct timeline *t = state;

	(void)p;
	TAKEN_RUN(sum, recording_taken_ns(&t->recording));
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	char n[UNITS_BUF];

	(void)state;
	str_addf(out, "%s events", units_count(n, sizeof(n), (int64_t)p->events.n));
}

/* --- windows ------------------------------------------------------------------------------------
 */

/* Reads the events of the window, and counts what became of the others. */
static void read_events(struct timeline *t)
{
	const uint64_t last = t->recording.o.last_ns, copied = t->triggers.copied;
	const bool around = t->recording.o.n_triggers;
	uint64_t rest;

	t->events.n = 0;
	t->became = (struct recorded){0};
	if (!around)
		t->became = recording_read(
			&t->recording, copied > t->from ? copied : t->from, t->to,
			last && last < t->ended_ns ? t->ended_ns - last : 0, &t->events);
	if (!around && !t->triggers.kept.n)
		return;
	triggers_kept(&t->triggers, &t->events);
	t->became.kept = 0;
	vec_each (e, &t->events)
		t->became.kept += e->kind < TRIGGERS_FIRED;
	t->became.newer += t->triggers.no_room;
	rest = t->to - t->from - t->became.kept - t->became.older - t->became.newer -
	       t->became.torn;
	t->became.unlooked = t->triggers.unlooked < rest ? t->triggers.unlooked : rest;
	t->became.elsewhere = rest - t->became.unlooked;
}

static void window_end(void *state)
{
	struct timeline *t = state;
	_free_ bool *known = timeline_names_known(t->engine);

	if (t->recording.o.n_triggers)
		triggers_look(&t->triggers, t->stopped);
	t->to = t->recording.o.n_triggers ? t->triggers.looked : recording_made(&t->recording);
	t->ended_ns = clock_ns(CLOCK_MONOTONIC);
	read_events(t);
	recorded_count(&t->became, &t->events, known, t->engine->used);
}

static void window_forget(void *state, struct survivors *r)
{
	struct timeline *t = state;

	(void)r;
	t->from = t->to;
	recorded_add(&t->before, &t->became);
	vec_release(&t->events);
	triggers_drop(&t->triggers);
}

static const char *const programs[] = {"probe_event_switch", "probe_event_waking", NULL};

static const struct source_option options[] = {
	{.name = "timeline",
	 .does = "every call of the zones, exception, wait and wake-up of the target's\n"
		 "                    threads, one by one in order of time",
	 .parse = timeline_options_parse},
	{.name = "events",
	 .argument = "N[,stop]",
	 .does = "keep the last N of these (1M), or with \",stop\" the first",
	 .parse = timeline_options_events},
	{.name = "last",
	 .argument = "TIME",
	 .does = "keep only what happened so long before the end: 10s",
	 .parse = timeline_options_last},
	{.name = "args",
	 .argument = "NAME[(TYPE,…)]",
	 .does = "record the arguments of a function's calls, as its debug information\n"
		 "                    says, or by types: 'open(str, int)'; with --probe-stack and\n"
		 "                    no --timeline: sample its calls, and tell them apart by "
		 "these",
	 .parse = timeline_options_args,
	 .also_for = 1u << WIRE_ACTION_stack},
	{.name = "trigger",
	 .argument = "CONDITION[,N]",
	 .does = "keep only what happened around a call that takes long (\"parse>10ms\"),\n"
		 "                    a thread that waits for a CPU (\"runnable>5ms\"), an\n"
		 "                    \"exception\", or an argument (\"f arg0==3\"), N times (10)",
	 .parse = timeline_options_trigger},
	{0}};

const struct action event_action = {
	.name = "event",
	.with = WIRE_ACTION_moment,
	.zones = timeline_options_zone,
	.joins = 1u << WIRE_ACTION_zone | 1u << WIRE_ACTION_alloc,
	.source = {.options = options,
		   .programs = programs,
		   .new = timeline_new,
		   .free = timeline_free,
		   .captures = captures,
		   .request = request,
		   .begin = begin,
		   .open = open_slots,
		   .due_ns = due_ns,
		   .round = look,
		   .keep = keep,
		   .progress = progress,
		   .drained = drained,
		   .finish = finish,
		   .reconcile = reconcile,
		   .taken = taken,
		   .total = total,
		   .window_end = window_end,
		   .window_forget = window_forget},
};
