/*
 * action_event: the calls of functions one by one, in order of time: the timeline. The BPF programs
 * write them into the slots of an array; here they become rows once it is saved.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/units.h"
#include "model/timed_event.h"
#include "probe/engine.h"
#include "source/action.h"
#include "source/probed_functions.h"
#include "timeline/recording.h"
#include "timeline/timeline_rows.h"
#include "waits/callrule.h"

extern const struct action event_action;

struct timeline {
	struct recording recording;
	struct engine *engine;
	/* The places of the events of the window that ends, and of those that are not written. */
	uint64_t from, to;
	uint64_t ended_ns;	 /* CLOCK_MONOTONIC */
	struct recorded *became; /* of the profile under way; owned */
};

/* Tells the programs which arguments the events of a function have. */
static void found(void *state, uint32_t number, const struct zone_def *def, const char *pattern,
		  uint32_t argument)
{
	const struct wire_event_shape shape = {.arguments = 7 | WIRE_EVENT_BY_ALLOC};
	const struct timeline *t = state;

	(void)pattern;
	(void)argument;
	if (def->actions >> WIRE_ACTION_alloc & 1)
		(void)session_map_set_entries(t->recording.session, "probe_event_shapes", &number,
					      &shape, 1);
}

static void *timeline_new(const void *engine)
{
	struct engine *e = (struct engine *)(uintptr_t)engine;
	struct timeline *t = mem_zalloc(1, sizeof(*t));

	t->engine = e;
	t->became = mem_zalloc(1, sizeof(*t->became));
	if (e->in.o->own[WIRE_ACTION_event])
		t->recording.o = *(const struct timeline_options *)e->in.o->own[WIRE_ACTION_event];
	engine_watch(e, (struct engine_watcher){1u << WIRE_ACTION_event, NULL, found, t});
	return t;
}

static void timeline_free(void *state)
{
	struct timeline *t = state;

	if (!t)
		return;
	recording_release(&t->recording);
	free(t->became);
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

	recording_request(&t->recording, t->engine->in.o->max + WIRE_PROBE_SPARE, out);
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

static void progress(const void *state, struct str *out)
{
	const struct timeline *t = state;
	char n[UNITS_BUF];

	str_addf(out, "%s events  ",
		 units_count(n, sizeof(n), (int64_t)recording_made(&t->recording)));
}

/* --- the profile --------------------------------------------------------------------------------
 */

/* What turns the numbers of events into rows. */
struct naming {
	struct assembly *a;
	struct probed_functions functions;
	VEC(struct timeline_function) by_number;
	struct map threads; /* pid, tid → thread of the profile */
};

static bool does(const struct zone_def *def, enum wire_action action)
{
	return def->actions >> action & 1;
}

/* Allocators by their names, as those of action_alloc.c: the first that is in the name. */
static const struct {
	const char *part;
	uint32_t allocates;
	enum timeline_size size;
	bool returns_status;
} allocators[] = {
	{"posix_memalign", EVENT_MALLOC, TIMELINE_SIZE_THIRD, true},
	{"memalign", EVENT_MALLOC, TIMELINE_SIZE_SECOND, false},
	{"aligned_alloc", EVENT_MALLOC, TIMELINE_SIZE_SECOND, false},
	{"realloc", EVENT_REALLOC, TIMELINE_SIZE_SECOND, false},
	{"rallocx", EVENT_REALLOC, TIMELINE_SIZE_SECOND, false},
	{"calloc", EVENT_CALLOC, TIMELINE_SIZE_PRODUCT, false},
	{"", EVENT_MALLOC, TIMELINE_SIZE_FIRST, false},
};

static void set_role(const struct zone_def *def, struct timeline_function *f)
{
	const char *name = def->linkage ? def->linkage : def->name;
	size_t i = 0;

	if (does(def, WIRE_ACTION_free))
		f->role = TIMELINE_FREES;
	else if (does(def, WIRE_ACTION_moment))
		f->role = strcmp(name, "__cxa_begin_catch") ? TIMELINE_THROWS : TIMELINE_CATCHES;
	if (!does(def, WIRE_ACTION_alloc))
		return;
	while (!strstr(name, allocators[i].part))
		i++;
	f->role = TIMELINE_ALLOCATES;
	f->size = allocators[i].size;
	f->allocates = allocators[i].allocates;
	f->returns_status = allocators[i].returns_status;
}

static void name_functions(struct naming *n, const struct probed_image *image)
{
	const uint32_t module = probed_functions_module(&n->functions, image);
	struct profile *p = n->a->p;

	for (size_t k = 0; k < image->list.zones.n; k++) {
		const struct zone_def *def = &image->list.zones.at[k];
		const struct frame frame = {
			.function = probed_functions_need(&n->functions, module, def)};

		struct timeline_function *f = &n->by_number.at[image->first + k];

		*f = (struct timeline_function){.frame = profile_frame(p, &frame),
						.module = module};
		set_role(def, f);
	}
}

static void name_threads(struct naming *n, const struct engine *e)
{
	const struct probemaps *maps = e->in.session->maps;

	for (uint32_t i = 1; i < e->thread_of.n; i++) {
		const struct wire_probe_thread t = probemaps_thread(maps, i);
		bool fresh;

		if (e->thread_of.at[i] != NO_THREAD && t.tid)
			*(uint32_t *)map_put(&n->threads, (uint64_t)t.pid << 32 | t.tid, &fresh) =
				assembly_thread(n->a, e->thread_of.at[i]);
	}
}

static uint32_t thread_of(void *context, uint32_t pid, uint32_t tid)
{
	struct naming *n = context;
	bool fresh;
	uint32_t *row = map_put(&n->threads, (uint64_t)pid << 32 | tid, &fresh);

	if (fresh)
		*row = profile_thread(n->a->p, &(struct thread){.pid = pid, .tid = tid});
	return *row;
}

static const char *call_name(uint32_t number)
{
	const char *name = syscall_name(number, false);

	return name ? name : "";
}

static void finish(const void *state, struct assembly *a)
{
	const struct timeline *t = state;
	struct naming n = {.a = a};
	recorded_events events = {0};
	const uint64_t last = t->recording.o.last_ns;

	profile_add_part(a->p, PART_EVENTS);
	*t->became = recording_read(&t->recording, t->from, t->to,
				    last && last < t->ended_ns ? t->ended_ns - last : 0, &events);
	probed_functions_init(&n.functions, t->engine, a->p);
	while (n.by_number.n < t->engine->used)
		vec_push(&n.by_number, ((struct timeline_function){0}));
	for (size_t i = 0; i < t->engine->at.n; i++)
		if (t->engine->at.at[i]->list.zones.n)
			name_functions(&n, t->engine->at.at[i]);
	name_threads(&n, t->engine);
	(void)timeline_rows(&(struct timeline_input){n.by_number.at, (uint32_t)n.by_number.n,
						     thread_of, &n, call_name, a->start_ns},
			    &events, a->p);
	vec_release(&events);
	vec_release(&n.by_number);
	map_release(&n.threads);
	probed_functions_release(&n.functions);
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct timeline *t = state;
	const struct recorded *b = t->became;
	const struct {
		uint64_t n;
		const char *why;
	} lost[] = {
		{b->older, "older than the last ones, which are kept (--events, --last)"},
		{b->newer, "later than the first ones, which are kept (--events)"},
		{b->torn, "being written when they were read"},
	};

	(void)in;
	profile_ledger(p, LEDGER_EVENTS, LEDGER_TAKEN, "taken", (int64_t)(t->to - t->from));
	profile_ledger(p, LEDGER_EVENTS, LEDGER_KEPT, "kept", (int64_t)b->kept);
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++)
		if (lost[i].n)
			profile_ledger(p, LEDGER_EVENTS, LEDGER_LOST, lost[i].why,
				       (int64_t)lost[i].n);
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	char n[UNITS_BUF];

	(void)state;
	str_addf(out, "%s events", units_count(n, sizeof(n), (int64_t)p->events.n));
}

/* --- windows ------------------------------------------------------------------------------------
 */

static void window_end(void *state)
{
	struct timeline *t = state;

	t->to = recording_made(&t->recording);
	t->ended_ns = clock_ns(CLOCK_MONOTONIC);
}

static void window_forget(void *state, struct survivors *r)
{
	struct timeline *t = state;

	(void)r;
	t->from = t->to;
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
	{0}};

const struct action event_action = {
	.name = "event",
	.with = WIRE_ACTION_moment,
	.joins = 1u << WIRE_ACTION_zone | 1u << WIRE_ACTION_alloc,
	.source = {.options = options,
		   .programs = programs,
		   .new = timeline_new,
		   .free = timeline_free,
		   .captures = captures,
		   .request = request,
		   .begin = begin,
		   .open = open_slots,
		   .progress = progress,
		   .finish = finish,
		   .reconcile = reconcile,
		   .total = total,
		   .window_end = window_end,
		   .window_forget = window_forget},
};
