/*
 * memory: how much memory each of the target's processes had before the capture, and has over time,
 * beside what is known of its growth and its allocations; and which of them the kernel killed for
 * lack of memory.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "model/memory_use.h"
#include "process/smaps.h"
#include "source/source.h"
#include "wire_memory.h"

/* Between looks: a tenth of the time so far, so that short programs are seen, too; within these. */
#define LOOK_LEAST_NS 200000000u
#define LOOK_MOST_NS  1000000000u
#define LOOK_PART     10
/* Rows of a window after which the looks become rarer. */
#define MANY 200000u

#define PAGE 4096

/* Pages: PAGE_COUNTER_MAX of the kernel is LONG_MAX / PAGE. */
#define UNLIMITED (INT64_MAX / PAGE)

/* Processes of which it is read what they had before, at most, the largest first; and how long that
 * may take. */
#define BEFORE_MOST 64
#define BEFORE_NS   2000000000u

/* What a process has; as struct memory_level, but for the clock. */
struct level {
	uint64_t time_ns;
	uint32_t pid;
	bool killed;
	struct wire_memory_now now;
};
typedef VEC(struct level) levels;

struct memory {
	struct source_services services;
	struct session *session;
	VEC(struct level) rows; /* of the windows that are not written */
	size_t ended;		/* those of the window that is being written */
	levels last;		/* of each process that there is, by pid */
	uint64_t started_ns, looked_ns, most_ns;
	VEC(struct memory_before) before; /* without names */
	uint64_t unread;		  /* processes without such rows */
	bool stopped;
};

static const char *const programs[] = {"memory_now", "memory_exit", NULL};

static void *memory_new(const void *options)
{
	struct memory *m = mem_zalloc(1, sizeof(*m));

	(void)options;
	m->most_ns = LOOK_MOST_NS;
	return m;
}

static void memory_free(void *state)
{
	struct memory *m = state;

	if (!m)
		return;
	vec_release(&m->rows);
	vec_release(&m->last);
	vec_release(&m->before);
	free(m);
}

static void begin(void *state, const struct source_services *services)
{
	struct memory *m = state;

	m->services = *services;
	m->session = services->session;
}

/* --- looks ------------------------------------------------------------------------------------ */

/* A thread has no memory of its own. */
static bool has_memory(const struct memory *m)
{
	return m->services.target->kind != TARGET_TID;
}

static int by_pid(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* What each process has now, by pid. */
static levels read_now(struct memory *m)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct map_entries entries = {0};
	levels out = {0};

	(void)session_walk_tasks(m->session, "memory_now");
	(void)session_map_entries(m->session, "memory_now_of", true, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		struct level l = {.time_ns = now_ns};

		memcpy(&l.pid, map_entry_key(&entries, i), sizeof(l.pid));
		memcpy(&l.now, map_entry_value(&entries, i), sizeof(l.now));
		vec_push(&out, l);
	}
	vec_release(&entries.words);
	vec_sort(&out, by_pid);
	return out;
}

static const struct level *last_of(const struct memory *m, uint32_t pid)
{
	const size_t n = vec_upto(&m->last, pid, pid);

	return n && m->last.at[n - 1].pid == pid ? &m->last.at[n - 1] : NULL;
}

/* A part of what a cgroup uses, by which it may change without a new row of each process in it. */
#define GROUP_STEP 64

static bool differs(const struct wire_memory_now *a, const struct wire_memory_now *b)
{
	const uint64_t more = a->group_pages > b->group_pages ? a->group_pages - b->group_pages
							      : b->group_pages - a->group_pages;

	return memcmp(a->pages, b->pages, sizeof(a->pages)) != 0 ||
	       a->group_limit != b->group_limit || a->group_kills != b->group_kills ||
	       more > a->group_pages / GROUP_STEP;
}

/* Rows for processes whose memory is another than in their last row, which @now has from then on
 * for the others. */
static void add_changed(struct memory *m, levels *now, bool all)
{
	vec_each (l, now) {
		const struct level *last = last_of(m, l->pid);

		if (all || !last || differs(&last->now, &l->now))
			vec_push(&m->rows, *l);
		else
			l->now = last->now;
	}
}

static void add_gone(struct memory *m, uint32_t pid, bool killed)
{
	const struct level gone = {.time_ns = clock_ns(CLOCK_MONOTONIC),
				   .pid = pid,
				   .killed = killed,
				   .now.group_limit = UINT64_MAX};

	vec_push(&m->rows, gone);
}

/* Those that were killed may never have been seen. */
static void add_killed(struct memory *m, struct map *killed)
{
	struct map_entries entries = {0};

	(void)session_map_entries(m->session, "memory_killed", true, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		uint32_t pid;
		bool fresh;

		memcpy(&pid, map_entry_key(&entries, i), sizeof(pid));
		(void)map_put(killed, pid, &fresh);
		add_gone(m, pid, true);
	}
	vec_release(&entries.words);
}

static void add_ended(struct memory *m, const levels *now, const struct map *killed)
{
	size_t at = 0;

	vec_each (l, &m->last) {
		while (at < now->n && now->at[at].pid < l->pid)
			at++;
		if ((at == now->n || now->at[at].pid != l->pid) && !map_get(killed, l->pid))
			add_gone(m, l->pid, false);
	}
}

/* @all: rows for all processes: of one that does not change that is to be seen at the end. */
static void look(struct memory *m, bool all)
{
	struct map killed = {0};
	levels now;

	m->looked_ns = clock_ns(CLOCK_MONOTONIC);
	if (!has_memory(m))
		return;
	now = read_now(m);
	add_killed(m, &killed);
	add_ended(m, &now, &killed);
	add_changed(m, &now, all);
	map_release(&killed);
	vec_release(&m->last);
	m->last = now;
	if (m->rows.n - m->ended > MANY)
		m->most_ns *= 2;
}

/* --- before the capture ----------------------------------------------------------------------- */

static void add_before(struct memory *m, uint32_t pid, enum memory_before_kind kind,
		       const struct smaps_sum *sum)
{
	const struct memory_before row = {.pid = pid,
					  .kind = (uint8_t)kind,
					  .bytes = (int64_t)sum->resident,
					  .swap = (int64_t)sum->swap,
					  .count = (int64_t)sum->mappings};

	if (sum->resident || sum->swap)
		vec_push(&m->before, row);
}

static void read_arenas(struct memory *m, uint32_t pid, const struct smaps *s)
{
	struct arenas a;

	if (!smaps_arenas(m->services.opener, pid, s, &a))
		return;
	add_before(m, pid, BEFORE_ARENAS, &(struct smaps_sum){a.system_bytes, 0, a.n});
	vec_push(&m->before, ((struct memory_before){.pid = pid,
						     .kind = BEFORE_FREE,
						     .bytes = (int64_t)a.free_bytes,
						     .count = (int64_t)a.free_blocks,
						     .least = a.busy > 0}));
	if (a.knows_mmapped)
		add_before(m, pid, BEFORE_MMAPPED,
			   &(struct smaps_sum){a.mmapped_bytes, 0, a.mmapped_blocks});
}

static bool read_before(struct memory *m, uint32_t pid)
{
	static const enum memory_before_kind kinds[SMAPS_KINDS] = {
		[SMAPS_HEAP] = BEFORE_HEAP,	  [SMAPS_ANONYMOUS] = BEFORE_ANONYMOUS,
		[SMAPS_STACK] = BEFORE_STACK,	  [SMAPS_FILE] = BEFORE_FILE,
		[SMAPS_CHANGED] = BEFORE_CHANGED, [SMAPS_SHARED] = BEFORE_SHARED};
	struct smaps s;

	if (!smaps_read(m->services.opener, pid, &s) || s.cut)
		return false;
	for (size_t k = 0; k < SMAPS_KINDS; k++)
		add_before(m, pid, kinds[k], &s.of[k]);
	read_arenas(m, pid, &s);
	return true;
}

static int by_size(const void *a, const void *b)
{
	const struct level *x = a, *y = b;
	const uint64_t p = x->now.pages[WIRE_MEMORY_ANONYMOUS],
		       q = y->now.pages[WIRE_MEMORY_ANONYMOUS];

	return p > q ? -1 : p < q ? 1 : by_pid(a, b);
}

/* A command has nothing before. Of the whole machine it would take too long. */
static int open_before(void *state)
{
	struct memory *m = state;
	const enum target_kind kind = m->services.target->kind;
	const uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + BEFORE_NS;
	size_t n = 0;
	levels now;

	if (kind != TARGET_PIDS && kind != TARGET_CGROUP)
		return 0;
	now = read_now(m);
	vec_sort(&now, by_size);
	vec_each (l, &now)
		m->unread += ++n > BEFORE_MOST || clock_ns(CLOCK_MONOTONIC) > until_ns ||
			     !read_before(m, l->pid);
	vec_release(&now);
	return 0;
}

/* --- the capture ------------------------------------------------------------------------------ */

static void start(void *state)
{
	struct memory *m = state;
	const struct target *t = m->services.target;

	session_map_set(m->session, "memory_control", WIRE_MEMORY_LAUNCHER, target_launcher(t));
	m->started_ns = clock_ns(CLOCK_MONOTONIC);
	look(m, false);
}

static void tick(void *state)
{
	struct memory *m = state;

	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t wait_ns = (now_ns - m->started_ns) / LOOK_PART;

	wait_ns = wait_ns < LOOK_LEAST_NS ? LOOK_LEAST_NS : wait_ns;
	if (now_ns - m->looked_ns >= (wait_ns < m->most_ns ? wait_ns : m->most_ns))
		look(m, false);
}

static void stop(void *state)
{
	struct memory *m = state;

	look(m, true);
	m->stopped = true;
}

/* --- windows ---------------------------------------------------------------------------------- */

static void window_end(void *state)
{
	struct memory *m = state;

	if (!m->stopped)
		look(m, false);
	m->ended = m->rows.n;
	/* The next window says of each process what it has. */
	vec_each (l, &m->last)
		if (!m->stopped)
			vec_push(&m->rows, *l);
}

static void window_forget(void *state, struct survivors *r)
{
	struct memory *m = state;

	(void)r;
	vec_drop_first(&m->rows, m->ended);
	m->ended = 0;
}

/* --- a profile -------------------------------------------------------------------------------- */

/* While it is read, a count may be off by a little, and below 0. */
static int64_t bytes_of(const struct level *l, enum wire_memory memory)
{
	const int64_t pages = (int64_t)l->now.pages[memory];

	return pages > 0 ? pages * PAGE : 0;
}

static struct memory_level row_of(const struct level *l, const struct assembly *a)
{
	const struct wire_memory_now *now = &l->now;
	const bool grouped = now->group_limit < UINT64_MAX,
		   limited = grouped && now->group_limit < UNLIMITED;

	return (struct memory_level){.time_ns = assembly_time(a, l->time_ns),
				     .pid = l->pid,
				     .anonymous = bytes_of(l, WIRE_MEMORY_ANONYMOUS),
				     .file = bytes_of(l, WIRE_MEMORY_FILE),
				     .shared = bytes_of(l, WIRE_MEMORY_SHARED),
				     .swap = bytes_of(l, WIRE_MEMORY_SWAP),
				     .group_bytes = grouped ? (int64_t)now->group_pages * PAGE : 0,
				     .group_limit = limited ? (int64_t)now->group_limit * PAGE : 0,
				     .oom_kills = grouped ? (int64_t)now->group_kills : 0,
				     .killed = l->killed};
}

static void finish(const void *state, struct assembly *a)
{
	const struct memory *m = state;

	vec_each (l, &m->rows)
		vec_push(&a->p->memory_levels, row_of(l, a));
	vec_each (b, &m->before) {
		struct memory_before row = *b;

		row.name = intern_add(&a->p->strings, procs_name(a->procs, b->pid));
		vec_push(&a->p->memory_before, row);
	}
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct memory *m = state;

	(void)in;
	profile_note(p, "processes of which it is not known what they had before the capture",
		     m->unread);
	profile_note(p, "processes whose memory is not in the levels: too many",
		     session_map_value(m->session, "memory_counters", WIRE_MEMORY_LOST));
}

/* Of what is known of growth, allocations and mappings. */
static const char *const beside[] = {"faults", "probe_alloc", "mappings", NULL};

const struct source memory_source = {
	.beside = beside,
	.programs = programs,
	.new = memory_new,
	.free = memory_free,
	.finish = finish,
	.begin = begin,
	.open = open_before,
	.start = start,
	.tick = tick,
	.window_end = window_end,
	.window_forget = window_forget,
	.stop = stop,
	.account = account,
};
