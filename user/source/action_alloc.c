/*
 * action_alloc: what a program's allocators hand out, by stack: live, peak, total, leaked and
 * temporary bytes and blocks. The BPF programs keep the sums; here they become samples, one for
 * each row that changed since the last look.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "book/heapbook.h"
#include "probe/call_price.h"
#include "probe/engine.h"
#include "process/procfs.h"
#include "source/action.h"
#include "source/heap_profile.h"
#include "source/ledger.h"

extern const struct action alloc_action;

#define STREAM WIRE_PROBE_STREAM_alloc

/* Between looks at the sums: the resolution of values over time. Longer once there are that many
 * changes, of some 100 bytes each. */
#define LOOK_NS	     1000000000u
#define MANY_CHANGES 200000u

/* The part of a capture at whose end live blocks count as leaked: those of the last tenth may only
 * not have been freed yet. */
#define YOUNG 10

#define NO_ALLOCATOR                                                                             \
	"no allocator found: no file that the target runs has a function named malloc, as with " \
	"Go "                                                                                    \
	"and with static programs that are stripped"

/* A process of which a program has ended; the value of probe_alloc_ended. */
struct ended {
	uint32_t pid, until;
};

struct heap {
	struct heapbook book;
	const struct engine *engine;
	struct session *session;
	struct map_entries rows; /* as last read */
	uint64_t started_ns, look_ns, looked_ns;
	bool stopped;
	uint32_t found; /* functions of allocators */
	struct source_services services;
	VEC(struct ended) ended;      /* since the last look */
	VEC(struct heap_leak) leaked; /* by row: of blocks that were live at the end */
	uint32_t metric[HEAP_VALUES]; /* of the profile under way */
};

/* --- which functions ----------------------------------------------------------------------------
 */

#define ALLOCATORS(X)              \
	X(malloc, MALLOC)          \
	X(calloc, CALLOC)          \
	X(realloc, REALLOC)        \
	X(memalign, MEMALIGN)      \
	X(aligned_alloc, MEMALIGN) \
	X(posix_memalign, POSIX)   \
	X(valloc, MALLOC)          \
	X(pvalloc, MALLOC)

#define ALLOCATOR_NAME(name, shape)  #name,
#define ALLOCATOR_SHAPE(name, shape) WIRE_ALLOC_##shape,
static const char *const implies[] = {ALLOCATORS(ALLOCATOR_NAME) NULL};
static const uint32_t shapes[] = {ALLOCATORS(ALLOCATOR_SHAPE)};

static void found(void *state, uint32_t number, const char *pattern)
{
	struct heap *h = state;
	uint32_t shape = WIRE_ALLOC_MALLOC;

	h->found++;
	for (size_t i = 0; implies[i]; i++)
		if (!strcmp(implies[i], pattern))
			shape = shapes[i];
	(void)session_map_set_entries(h->session, "probe_alloc_shapes", &number, &shape, 1);
}

/* --- the capture --------------------------------------------------------------------------------
 */

static bool takes(const char *argument)
{
	return !argument || !strcmp(argument, "exact");
}

static void *parse(const char *argument, void *before)
{
	(void)argument;
	return before ? before : mem_zalloc(1, 1);
}

static void *heap_new(const void *state)
{
	/* The engine is its caller's; it is told whom to tell. */
	struct engine *e = (struct engine *)(uintptr_t)state;
	struct heap *h = mem_zalloc(1, sizeof(*h));

	h->engine = e;
	h->look_ns = LOOK_NS;
	engine_watch(e, (struct engine_watcher){action_bit(WIRE_ACTION_alloc), found, h});
	return h;
}

static void heap_free(void *state)
{
	struct heap *h = state;

	if (!h)
		return;
	heapbook_release(&h->book);
	vec_release(&h->rows.words);
	vec_release(&h->ended);
	vec_release(&h->leaked);
	free(h);
}

static void captures(const void *options, double hz, struct str *out)
{
	(void)options;
	(void)hz;
	str_add(out, "heap, every allocation");
}

static void begin(void *state, const struct source_services *services)
{
	struct heap *h = state;

	h->services = *services;
	h->session = services->session;
}

static void start(void *state)
{
	struct heap *h = state;

	h->started_ns = h->looked_ns = clock_ns(CLOCK_MONOTONIC);
	(void)session_map_set(h->session, "probe_alloc_control", WIRE_ALLOC_STARTED_NS,
			      h->started_ns);
}

/* Whose row is new, by its first sample. */
static void know(struct heap *h, uint32_t number, const struct wire_sample *w, uint32_t user,
		 const struct stackbook *stacks, struct procs *procs)
{
	struct heap_origin of = {.thread = procs_thread(procs, w->pid, w->tid),
				 .user = user,
				 .index = {w->user_hash, w->tid, 0}};

	if (user != NO_STACK) {
		of.end = stacks->stacks.at[user].end;
		of.guessed = stacks->stacks.at[user].guessed;
	}
	heapbook_know(&h->book, number, &of);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_alloc *w = record;

	know(state, w->row, &w->sample, stackbook_find(stacks, w->sample.user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	/* Its hash is 0. */
	know(state, (uint32_t)slice->wire->more[0], &slice->wire->sample, slice->stack, stacks,
	     procs);
}

static void exec(void *state, uint32_t pid)
{
	struct heap *h = state;

	vec_push(&h->ended, ((struct ended){pid, WIRE_ALLOC_BEFORE_NOW}));
}

static void leader_exited(void *state, uint32_t pid)
{
	struct heap *h = state;

	vec_push(&h->ended, ((struct ended){pid, WIRE_ALLOC_ALL_ENDED}));
}

/* The blocks of programs that have ended are gone: one pass over the live ones for all of them. */
static void sweep(struct heap *h)
{
	struct map_entries done = {0};
	size_t left = 0, told = 0;

	for (size_t i = 0; i < h->ended.n; i++) {
		const struct ended e = h->ended.at[i];

		/* Other threads may go on without the first. */
		if (e.until == WIRE_ALLOC_ALL_ENDED && procfs_count_threads(e.pid) > 1)
			h->ended.at[left++] = e;
		else
			told += !session_map_set_entries(h->session, "probe_alloc_ended", &e.pid,
							 &e.until, 1);
	}
	h->ended.n = left;
	if (!told)
		return;
	(void)session_walk_tasks(h->session, "probe_alloc_gone");
	(void)session_map_entries(h->session, "probe_alloc_ended", true, &done);
	vec_release(&done.words);
}

static void look(struct heap *h, bool last)
{
	struct map_entries whole = {0};
	struct wire_alloc_whole w;

	h->looked_ns = clock_ns(CLOCK_MONOTONIC);
	h->rows.words.n = h->rows.n = 0;
	if (!session_map_entries(h->session, "probe_alloc_whole", false, &whole) && whole.n) {
		memcpy(&w, map_entry_value(&whole, 0), sizeof(w));
		if (!session_map_first(h->session, "probe_alloc_rows", (uint32_t)w.rows + 1,
				       &h->rows))
			heapbook_look(&h->book, &h->rows, w.rows + 1, w.epoch,
				      h->leaked.n ? h->leaked.at : NULL, h->looked_ns, last);
	}
	vec_release(&whole.words);
	if (h->book.changes.n > MANY_CHANGES)
		h->look_ns *= 2;
}

static void tick(void *state)
{
	struct heap *h = state;

	if (clock_ns(CLOCK_MONOTONIC) - h->looked_ns < h->look_ns)
		return;
	sweep(h);
	look(h, false);
}

/* What is live at the end, and older than the last tenth. */
static void find_leaks(struct heap *h)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC),
		       before_ns = now_ns - (now_ns - h->started_ns) / YOUNG;
	struct map_entries live = {0};

	for (size_t i = 0; i < WIRE_ALLOC_ROWS; i++)
		vec_push(&h->leaked, (struct heap_leak){0});
	(void)session_map_entries(h->session, "probe_alloc_live", false, &live);
	for (size_t i = 0; i < live.n; i++) {
		const struct wire_alloc_block *b = map_entry_value(&live, i);

		if (b->time_ns >= before_ns || b->row >= h->leaked.n)
			continue;
		h->leaked.at[b->row].bytes += b->bytes;
		h->leaked.at[b->row].blocks++;
	}
	vec_release(&live.words);
}

static void drained(void *state)
{
	struct heap *h = state;

	sweep(h);
	find_leaks(h);
	if (!h->found && h->services.say)
		h->services.say(h->services.context, NO_ALLOCATOR);
	h->stopped = true;
}

static void progress(const void *state, struct str *out)
{
	const struct heap *h = state;
	char n[UNITS_BUF];

	str_addf(out, "%s allocations  ",
		 units_count(n, sizeof(n), heap_counted(h->session, WIRE_ALLOC_HANDED_OUT)));
}

/* --- the profile --------------------------------------------------------------------------------
 */

static void metrics(void *state, struct profile *p)
{
	struct heap *h = state;

	heap_metrics(p, h->metric);
}

static void finish(const void *state, struct assembly *a)
{
	const struct heap *h = state;

	heap_samples(&h->book, h->metric, a);
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct heap *h = state;

	if (!h->found)
		profile_note(p, NO_ALLOCATOR, 1);
	heap_ledger(p, h->metric[HEAP_TOTAL_BLOCKS], in->session);
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	static const struct {
		enum wire_alloc_counter ends;
		enum site_class site;
		enum exit_way exit;
	} ways[] = {{WIRE_ALLOC_SESSION, SITE_EMULATED, EXIT_SESSION},
		    {WIRE_ALLOC_RETS, SITE_EMULATED, EXIT_RETS},
		    {WIRE_ALLOC_SESSION_STEPPED, SITE_STEPPED, EXIT_SESSION},
		    {WIRE_ALLOC_RETS_STEPPED, SITE_STEPPED, EXIT_RETS}};
	const struct heap *h = state;
	uint64_t counters[WIRE_COUNTERS];

	/* While the capture runs, the governor has them in the price of a call. */
	if (!p)
		return;
	if (!session_counters(h->session, STREAM, counters))
		TAKEN_RUN(sum, (double)counters[WIRE_RUN_NS]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		TAKEN_PROBES(sum, (double)heap_counted(h->session, ways[i].ends) *
					  call_price_end(h->engine, ways[i].site, ways[i].exit));
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	const struct heap *h = state;
	char n[UNITS_BUF], bytes[UNITS_BUF];

	(void)p;
	str_addf(out, "%s allocations of %s",
		 units_count(n, sizeof(n), heap_counted(h->session, WIRE_ALLOC_HANDED_OUT)),
		 units_bytes(bytes, sizeof(bytes), (double)heapbook_tally(&h->book).bytes));
}

/* --- windows ------------------------------------------------------------------------------------
 */

static void window_end(void *state)
{
	struct heap *h = state;

	look(h, h->stopped);
	heapbook_window_end(&h->book);
}

/* Gives rows back to the programs of which nothing is left. Those with changes that are not written
 * yet wait. */
static void free_rows(struct heap *h)
{
	static const struct wire_alloc_row empty;

	if (h->book.changes.n > h->book.ended)
		return;
	for (uint32_t i = 0; i < h->book.rows.n; i++) {
		if (!heapbook_is_used_up(&h->book, i))
			continue;
		session_map_delete(h->session, "probe_alloc_index", &h->book.rows.at[i].of.index);
		if (!session_map_set_entries(h->session, "probe_alloc_rows", &i, &empty, 1) &&
		    !session_map_push(h->session, "probe_alloc_spare", &i))
			heapbook_drop(&h->book, i);
	}
}

static void window_forget(void *state, struct survivors *r)
{
	struct heap *h = state;

	free_rows(h);
	heapbook_window_forget(&h->book, r);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct heap *h = state;

	heapbook_window_renumber(&h->book, r);
}

static const char *const programs[] = {"probe_alloc_gone", NULL};
static const struct source_option options[] = {
	{.name = "heap",
	 .argument = "[=exact]",
	 .does = "every allocation, by stack: live, peak, total, leaked, temporary",
	 .parse = parse,
	 .takes = takes},
	{0}};

const struct action alloc_action = {
	.name = "alloc",
	.metric = HEAP_METRIC_LIVE,
	.stream = STREAM,
	.arguments = 1u << 0 | 1u << 1 | 1u << 2,
	.leaves = true,
	.implies = implies,
	.with = WIRE_ACTION_free,
	.source = {.options = options,
		   .programs = programs,
		   .new = heap_new,
		   .free = heap_free,
		   .captures = captures,
		   .begin = begin,
		   .start = start,
		   .take = take,
		   .take_slice = take_slice,
		   .exec = exec,
		   .leader_exited = leader_exited,
		   .tick = tick,
		   .progress = progress,
		   .drained = drained,
		   .metrics = metrics,
		   .finish = finish,
		   .reconcile = reconcile,
		   .taken = taken,
		   .total = total,
		   .window_end = window_end,
		   .window_forget = window_forget,
		   .window_renumber = window_renumber},
};
