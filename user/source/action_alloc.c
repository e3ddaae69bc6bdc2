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
#include "heap/heap_follow.h"
#include "heap/heap_options.h"
#include "heap/heap_profile.h"
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
	struct session *session;
	struct map_entries rows; /* as last read */
	uint64_t started_ns, look_ns, looked_ns;
	bool stopped;
	uint32_t found; /* functions of allocators */
	struct source_services services;
	VEC(struct ended) ended;	   /* since the last look */
	VEC(struct wire_alloc_sum) leaked; /* by row: of blocks that were live at the end */
	uint32_t metric[HEAP_COLUMNS];	   /* of the profile under way */
	struct heap_follow follow;
	bool over; /* allocations are not followed any more */
};

/* --- which functions ----------------------------------------------------------------------------
 */

#define ALLOCATORS(X)                   \
	X(malloc, MALLOC)               \
	X(calloc, CALLOC)               \
	X(realloc, REALLOC)             \
	X(memalign, MEMALIGN)           \
	X(aligned_alloc, MEMALIGN)      \
	X(posix_memalign, POSIX)        \
	X(valloc, MALLOC)               \
	X(pvalloc, MALLOC)              \
	X(mallocx, MALLOC)              \
	X(rallocx, REALLOC)             \
	X(je_malloc, MALLOC)            \
	X(je_calloc, CALLOC)            \
	X(je_realloc, REALLOC)          \
	X(_rjem_malloc, MALLOC)         \
	X(_rjem_calloc, CALLOC)         \
	X(_rjem_mallocx, MALLOC)        \
	X(_rjem_realloc, REALLOC)       \
	X(_rjem_rallocx, REALLOC)       \
	X(mi_malloc, MALLOC)            \
	X(mi_zalloc, MALLOC)            \
	X(mi_calloc, CALLOC)            \
	X(mi_realloc, REALLOC)          \
	X(mi_malloc_aligned, MALLOC)    \
	X(mi_zalloc_aligned, MALLOC)    \
	X(mi_realloc_aligned, REALLOC)  \
	X(tc_malloc, MALLOC)            \
	X(tc_calloc, CALLOC)            \
	X(tc_realloc, REALLOC)          \
	X(_Znwm, MALLOC)                \
	X(_Znam, MALLOC)                \
	X(_ZnwmRKSt9nothrow_t, MALLOC)  \
	X(_ZnamRKSt9nothrow_t, MALLOC)  \
	X(_ZnwmSt11align_val_t, MALLOC) \
	X(_ZnamSt11align_val_t, MALLOC) \
	X(runtime.mallocgc, GO)

#define ALLOCATOR_NAME(name, shape)  #name,
#define ALLOCATOR_SHAPE(name, shape) WIRE_ALLOC_##shape,
static const char *const implies[] = {ALLOCATORS(ALLOCATOR_NAME) NULL};
static const uint32_t shapes[] = {ALLOCATORS(ALLOCATOR_SHAPE)};

static void found(void *state, uint32_t number, const struct zone_def *def, const char *pattern,
		  uint32_t argument)
{
	struct heap *h = state;
	struct wire_alloc_function f = {
		.shape = WIRE_ALLOC_MALLOC, .size = (uint32_t)def->size, .argument = argument};

	h->found++;
	for (size_t i = 0; implies[i] && def->implied; i++)
		if (!strcmp(implies[i], pattern))
			f.shape = shapes[i];
	f.jumps = f.shape == WIRE_ALLOC_MEMALIGN || f.shape == WIRE_ALLOC_POSIX ||
		  str_starts(pattern, "_Zn");
	(void)session_map_set_entries(h->session, "probe_alloc_functions", &number, &f, 1);
}

static void found_free(void *state, uint32_t number, const struct zone_def *def,
		       const char *pattern, uint32_t argument)
{
	const struct wire_alloc_function f = {.argument = argument};
	struct heap *h = state;

	(void)def;
	(void)pattern;
	if (argument < 2)
		return;
	(void)session_map_set_entries(h->session, "probe_alloc_functions", &number, &f, 1);
	(void)session_map_set(h->session, "probe_alloc_control", WIRE_ALLOC_FREES, 1);
}

static bool defines_malloc(const struct zonelist *list)
{
	vec_each (f, &list->zones)
		if (!strcmp(f->name, "malloc") && f->actions >> WIRE_ACTION_alloc & 1)
			return true;
	return false;
}

/* C++'s operators call malloc() and free(), but where an allocator brings its own: there they may
 * have its code inlined. */
static bool wants(const struct zonelist *list, size_t k, const char *pattern)
{
	(void)k;
	return (!str_starts(pattern, "_Zn") && !str_starts(pattern, "_Zd")) || defines_malloc(list);
}

/* --- the capture --------------------------------------------------------------------------------
 */

static bool takes(const char *argument)
{
	return !argument || !strcmp(argument, "exact") || str_starts(argument, "sampled");
}

static void *parse(const char *argument, void *before)
{
	return heap_options_parse(argument, before);
}

static void *heap_new(const void *state)
{
	/* The engine is its caller's; it is told whom to tell. */
	struct engine *e = (struct engine *)(uintptr_t)state;
	struct heap *h = mem_zalloc(1, sizeof(*h));

	heap_follow_init(&h->follow, e->in.o->own[WIRE_ACTION_alloc], e);
	h->look_ns = LOOK_NS;
	engine_watch(e, (struct engine_watcher){action_bit(WIRE_ACTION_alloc), wants, found, h});
	engine_watch(e,
		     (struct engine_watcher){action_bit(WIRE_ACTION_free), wants, found_free, h});
	return h;
}

static void heap_free(void *state)
{
	struct heap *h = state;

	if (!h)
		return;
	heapbook_release(&h->book);
	heap_follow_release(&h->follow);
	vec_release(&h->rows.words);
	vec_release(&h->ended);
	vec_release(&h->leaked);
	free(h);
}

static void captures(const void *options, double hz, struct str *out)
{
	(void)hz;
	heap_options_text(((const struct engine_options *)options)->own[WIRE_ACTION_alloc], out);
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
	heap_follow_start(&h->follow, h->session, h->services.target->kind == TARGET_COMMAND,
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

/* The blocks of programs that have ended are gone, and no sum has them any more: one pass over the
 * live ones for all of them. */
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

static void add_sum(struct wire_alloc_sum *to, struct wire_alloc_sum more)
{
	to->bytes += more.bytes;
	to->blocks += more.blocks;
	to->bytes_variance += more.bytes_variance;
	to->blocks_variance += more.blocks_variance;
}

/* What is live at the end, and older than the last tenth. */
static void find_leaks(struct heap *h)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC),
		       before_ns = now_ns - (now_ns - h->started_ns) / YOUNG;
	struct map_entries live = {0};

	for (size_t i = 0; i < WIRE_ALLOC_ROWS; i++)
		vec_push(&h->leaked, (struct wire_alloc_sum){0});
	(void)session_map_entries(h->session, "probe_alloc_live", false, &live);
	for (size_t i = 0; i < live.n; i++) {
		const struct wire_alloc_block *b = map_entry_value(&live, i);

		if (b->time_ns < before_ns && b->row < h->leaked.n)
			add_sum(&h->leaked.at[b->row], wire_alloc_worth(b));
	}
	vec_release(&live.words);
}

/* The last look: what is live is known for as long as frees are seen. */
static void end(struct heap *h)
{
	h->over = true;
	sweep(h);
	find_leaks(h);
	look(h, true);
}

static bool keep_to_limit(struct heap *h)
{
	if (!h->over && heap_follow_tick(&h->follow))
		end(h);
	return h->over;
}

static uint64_t due_ns(const void *state)
{
	const struct heap *h = state;

	return heap_follow_due_ns(&h->follow);
}

/* Ends the trial of a tier in time. */
static bool trial_round(void *state)
{
	struct heap *h = state;

	if (!heap_follow_tried(&h->follow))
		return false;
	keep_to_limit(h);
	return true;
}

static void tick(void *state)
{
	struct heap *h = state;

	if (keep_to_limit(h))
		return;
	if (clock_ns(CLOCK_MONOTONIC) - h->looked_ns < h->look_ns)
		return;
	sweep(h);
	look(h, false);
}

static void drained(void *state)
{
	struct heap *h = state;

	if (!h->over) {
		sweep(h);
		find_leaks(h);
	}
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

	heap_metrics(p, heap_follow_may_sample(&h->follow), heap_follow_has_sampled(&h->follow),
		     h->metric);
}

static void finish(const void *state, struct assembly *a)
{
	const struct heap *h = state;

	heap_samples(&h->book, h->metric, a);
	heap_histograms(a->p, h->session);
	if (h->follow.o.by_price && profile_has(a->p, PART_GROWTH))
		heap_opens(a->p, &h->book);
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct heap *h = state;

	if (!h->found)
		profile_note(p, NO_ALLOCATOR, 1);
	heap_follow_notes(&h->follow, p);
	heap_ledger(p, h->metric[HEAP_TOTAL_BLOCKS], in->session);
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct heap *h = state;
	uint64_t counters[WIRE_COUNTERS];

	/* While the capture runs, the governor has them in the price of a call. */
	if (!p)
		return;
	if (!session_counters(h->session, STREAM, counters))
		TAKEN_RUN(sum, (double)counters[WIRE_RUN_NS]);
	TAKEN_PROBES(sum, heap_follow_ends_ns(&h->follow));
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	const struct heap *h = state;
	const int64_t kept = heap_counted(h->session, WIRE_ALLOC_HANDED_OUT),
		      others = heap_counted(h->session, WIRE_ALLOC_DECLINED);
	char n[UNITS_BUF], all[UNITS_BUF], bytes[UNITS_BUF];

	(void)p;
	units_count(n, sizeof(n), kept);
	units_count(all, sizeof(all), kept + others);
	units_bytes(bytes, sizeof(bytes), (double)heapbook_tally(&h->book).bytes);
	if (others)
		str_addf(out, "%s samples of %s allocations, some %s", n, all, bytes);
	else
		str_addf(out, "%s allocations of %s", n, bytes);
}

/* --- windows ------------------------------------------------------------------------------------
 */

static void window_end(void *state)
{
	struct heap *h = state;

	/* Once nothing is followed, what is live stays as it was: the programs take the blocks of
	 * processes that end from the sums, but no others. */
	if (!h->over)
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

static const char *const programs[] = {"probe_alloc_gone", "probe_alloc_exited", "probe_alloc_exec",
				       NULL};
static const struct source_option options[] = {
	{.name = "heap",
	 .argument = "[=exact|sampled[:BYTES]]",
	 .does = "allocations by stack: live, peak, total, leaked, temporary; all (exact),\n"
		 "                    samples, one per 512 KiB or BYTES (sampled[:BYTES]), or as "
		 "many as\n"
		 "                    --max-slowdown (20 %) allows",
	 .parse = parse,
	 .takes = takes},
	{0}};

const struct action alloc_action = {
	.name = "alloc",
	.option = "alloc",
	.numbered = true,
	.does = "functions that hand out blocks of memory, as a pool's do; PATTERN#2: the\n        "
		"            size is their second argument, not the first",
	.metric = HEAP_METRIC_LIVE,
	.stream = STREAM,
	.arguments = 1u << 0 | 1u << 1 | 1u << 2,
	.leaves = true,
	.keeps_limit = true,
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
		   .due_ns = due_ns,
		   .round = trial_round,
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
