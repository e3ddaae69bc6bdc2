/*
 * blockers: what kept threads waiting: who ran while they were ready without a CPU, who held the
 * locks that they waited for, and who ended their waits.
 */
#include "view/base.h"

#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "model/reason.h"
#include "model/waits.h"
#include "query/filter.h"
#include "view/facts.h"

#define TERMINAL_ROWS 12
/* Causes of less than this share of a thread's time are one row together. */
#define SMALL_SHARE 0.01

/* A thread that waited, whatever its names were. */
struct waiter {
	uint32_t number; /* among all, until they are sorted */
	uint32_t thread; /* its last row */
	struct thread_wait spent;
	int64_t told; /* of its time ready, what has a cause */
};

/* A cause of its waits. */
struct cause {
	uint32_t waiter;
	struct blocker is;
	int64_t ns;
};

struct causes {
	const struct profile *p;
	VEC(struct waiter) waiters;
	VEC(struct cause) rows;
	struct map by_thread, by_cause;
	struct filter filter;
	const bool *selected; /* by thread; NULL: all */
};

/* --- sums ------------------------------------------------------------------------------------- */

static struct waiter *waiter_of(struct causes *c, uint32_t thread)
{
	const struct thread *t = &c->p->threads.at[thread];
	const uint64_t key = thread_key(t);
	const uint32_t at = map_number(&c->by_thread, key, c->waiters.n);

	if (at == c->waiters.n)
		vec_push(&c->waiters, ((struct waiter){.number = at}));
	c->waiters.at[at].thread = thread;
	return &c->waiters.at[at];
}

static void add_cause(struct causes *c, const struct blocker *b)
{
	struct waiter *w = waiter_of(c, b->thread);
	const uint64_t who = hash_two((uint64_t)b->pid << 32 | b->tid, b->by);
	const uint32_t at = map_number(&c->by_cause, hash_two(who, w->number), c->rows.n);

	if (at == c->rows.n)
		vec_push(&c->rows, ((struct cause){.waiter = w->number, .is = *b}));
	c->rows.at[at].ns += b->ns;
	w->told += b->ns;
}

static int causes_build(const struct view_input *in, struct causes *c)
{
	int rc;

	*c = (struct causes){.p = in->profile};
	rc = filter_init(&c->filter, in->profile, in->selection);
	if (rc)
		return rc;
	c->selected = c->filter.thread;
	vec_each (w, &c->p->thread_waits)
		if (!c->selected || c->selected[w->thread])
			thread_wait_add(&waiter_of(c, w->thread)->spent, w);
	vec_each (b, &c->p->blockers)
		if (blocker_is_of_cpu(b->by) && (!c->selected || c->selected[b->thread]))
			add_cause(c, b);
	return 0;
}

static void causes_release(struct causes *c)
{
	filter_release(&c->filter);
	vec_release(&c->waiters);
	vec_release(&c->rows);
	map_release(&c->by_thread);
	map_release(&c->by_cause);
}

static int by_ready(const void *left, const void *right)
{
	const struct waiter *a = left, *b = right;

	return order_down(a->spent.runnable_ns, b->spent.runnable_ns)
		       ?: order_up(a->number, b->number);
}

static int by_time(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	return order_up(a->waiter, b->waiter) ?:
	       order_down(a->ns, b->ns) ?:
	       order_up(a->is.by, b->is.by) ?:
	       order_up(a->is.pid, b->is.pid) ?: order_up(a->is.tid, b->is.tid);
}

/* --- a table ---------------------------------------------------------------------------------- */

static void quota_cell(struct doc_table *t, const struct thread_wait *w)
{
	const double cpus = (double)w->quota_ns / (double)w->period_ns;

	if (w->period_ns > 0)
		doc_cell(t, cpus, "%.3g CPU", cpus);
	else
		doc_cell(t, 0, "–");
}

static void waiter_cells(struct doc_table *t, const struct causes *c, const struct waiter *w,
			 int64_t ns)
{
	const struct thread *thread = &c->p->threads.at[w->thread];

	base_time_cell(t, (double)ns);
	doc_cell(t, 100 * (double)ns / (double)w->spent.runnable_ns, "%s",
		 percent_text((double)ns, (double)w->spent.runnable_ns));
	doc_cell(t, 0, "%s", profile_text(c->p, thread->name));
	doc_cell(t, thread->tid, "%u", thread->tid);
	doc_cell(t, (double)w->spent.nice, "%lld", (long long)w->spent.nice);
	quota_cell(t, &w->spent);
}

static void cause_row(struct doc_table *t, const struct causes *c, const struct waiter *w,
		      const struct cause *cause)
{
	const struct blocker *b = &cause->is;

	waiter_cells(t, c, w, cause->ns);
	if (b->pid)
		doc_cell(t, 0, "%s", profile_text(c->p, b->name));
	else
		doc_cell(t, 0, "%s", blocker_text(b->by));
	if (b->pid)
		doc_cell(t, b->tid, "%u", b->tid);
	else
		doc_cell(t, 0, "–");
}

static void rest_row(struct doc_table *t, const struct causes *c, const struct waiter *w,
		     int64_t ns, const char *what)
{
	if (ns <= 0)
		return;
	waiter_cells(t, c, w, ns);
	doc_cell(t, 0, "%s", what);
	doc_cell(t, 0, "–");
}

static void waiter_rows(struct doc_table *t, const struct causes *c, const struct waiter *w)
{
	int64_t small = 0, n_small = 0;
	_free_ char *others = NULL;

	vec_each (cause, &c->rows) {
		if (cause->waiter != w->number)
			continue;
		if ((double)cause->ns >= SMALL_SHARE * (double)w->spent.runnable_ns) {
			cause_row(t, c, w, cause);
			continue;
		}
		small += cause->ns;
		n_small++;
	}
	others = mem_printf("%s others", count_text(n_small));
	rest_row(t, c, w, small, others);
	rest_row(t, c, w, w->spent.runnable_ns - w->told,
		 "not followed: shorter than 20 µs, or too long ago");
}

static void write_ready(struct causes *c, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Ready", "ready_ns", CELL_NUMBER, "time ready without a CPU, for that cause"},
		{"Share", "share_percent", CELL_PERCENT, "of all the thread's time ready"},
		{"Thread", "thread", CELL_TEXT, "the thread that waited"},
		{"TID", "tid", CELL_NUMBER, NULL},
		{"Nice", "nice", CELL_NUMBER, "its priority; below -20: real time"},
		{"Quota", "quota_cpus", CELL_NUMBER, "of CPU time, by its cgroups"},
		{"Who ran", "who", CELL_TEXT, "the thread on that CPU, or why it could not run"},
		{"Its TID", "who_tid", CELL_NUMBER, NULL},
	};
	struct doc_table *t;

	vec_sort(&c->waiters, by_ready);
	vec_sort(&c->rows, by_time);
	doc_heading(doc, "Who ran while threads were ready");
	t = doc_table_of(doc,
			 "the parts of a thread add up to its time ready, of the whole capture",
			 columns);
	doc_limit(t, TERMINAL_ROWS, 0, "rows");
	vec_each (w, &c->waiters)
		if (w->spent.runnable_ns > 0)
			waiter_rows(t, c, w);
}

/* --- locks ------------------------------------------------------------------------------------ */

typedef VEC(struct blocker) holds;

static int by_hold(const void *left, const void *right)
{
	const struct blocker *a = left, *b = right;

	return order_down(a->ns, b->ns) ?:
	       order_up(a->thread, b->thread) ?: order_up(a->tid, b->tid);
}

/* Of each thread that waited, lock and holder one row, whatever the thread's names and the system
 * calls were. */
static void add_hold(const struct profile *p, holds *rows, struct map *known,
		     const struct blocker *b)
{
	const uint64_t who =
		hash_two((uint64_t)b->pid << 32 | b->tid, thread_key(&p->threads.at[b->thread]));
	const struct reason *r = &p->reasons.at[b->reason];
	/* Of a lock of the kernel nothing but the call may tell which it is. */
	const uint32_t call = r->kind == REASON_CALL ? r->call : 0;
	const uint64_t lock =
		hash_two((uint64_t)b->by << 32 | r->object, (uint64_t)call << 32 | r->kind);
	const uint32_t at = map_number(known, hash_two(who, lock), rows->n);

	if (at == rows->n)
		vec_push(rows, *b);
	else
		rows->at[at].ns += b->ns;
}

/* Of one of the kernel, what the thread was about: "kernel's: file, /srv/table.data", "kernel's:
 * unlink". */
static void lock_cell(struct doc_table *t, const struct profile *p, const struct blocker *b)
{
	const struct reason *r = &p->reasons.at[b->reason];
	const char *object = profile_text(p, r->object), *call = profile_text(p, r->call);
	const char *kind = r->kind < REASON_KINDS ? reason_kind_name(r->kind) : "";

	if (b->by == BLOCKER_HELD)
		doc_cell(t, 0, "%s", r->kind == REASON_GIL ? kind : object);
	else
		doc_cell(t, 0, "kernel's: %s%s%s", r->kind == REASON_CALL && *call ? call : kind,
			 *object ? ", " : "", object);
}

static void hold_row(struct doc_table *t, const struct profile *p, const struct blocker *b)
{
	const struct thread *thread = &p->threads.at[b->thread];

	base_time_cell(t, (double)b->ns);
	doc_cell(t, 0, "%s", profile_text(p, thread->name));
	doc_cell(t, thread->tid, "%u", thread->tid);
	lock_cell(t, p, b);
	doc_cell(t, 0, "%s", profile_text(p, b->name));
	doc_cell(t, b->tid, "%u", b->tid);
}

static void write_locks(const struct profile *p, holds *rows, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Blocked", "blocked_ns", CELL_NUMBER,
		 "time of waits that began while the other held the lock, of samples"},
		{"Thread", "thread", CELL_TEXT, "the thread that waited"},
		{"TID", "tid", CELL_NUMBER, NULL},
		{"Lock", "lock", CELL_TEXT, "by the variable that it is, else by its address"},
		{"Held by", "holder", CELL_TEXT,
		 "who held it when the thread went to sleep, as the lock itself says; others may "
		 "have had it before the wait ended"},
		{"Its TID", "holder_tid", CELL_NUMBER, NULL},
	};
	struct doc_table *t;

	vec_sort(rows, by_hold);
	doc_heading(doc, "Who held what threads waited for");
	t = doc_table_of(
		doc,
		"mutexes of glibc, robust ones, those that inherit priority, Python's GIL, the "
		"kernel's; "
		"no other locks tell who holds them",
		columns);
	doc_limit(t, TERMINAL_ROWS, 0, "rows");
	vec_each (b, rows)
		hold_row(t, p, b);
}

static int blockers_write(const struct view_input *in, struct doc *doc)
{
	const struct profile *p = in->profile;
	holds rows = {0};
	struct map known = {0};
	struct causes c;
	int rc = causes_build(in, &c);

	if (!rc && c.rows.n)
		write_ready(&c, doc);
	vec_each (b, &p->blockers)
		if (!rc && blocker_is_holder(b->by) && (!c.selected || c.selected[b->thread]))
			add_hold(p, &rows, &known, b);
	if (rows.n)
		write_locks(p, &rows, doc);
	if (!rc)
		wait_ends_write(in, c.selected, doc);
	vec_release(&rows);
	map_release(&known);
	causes_release(&c);
	return rc;
}

static bool has_blockers(const struct profile *p)
{
	return p->blockers.n;
}

const struct view blockers_view = {
	.name = "blockers",
	.about = "who kept threads waiting: who ran while they were ready, held their locks, woke "
		 "them",
	.part = PART_OFFCPU,
	.has = has_blockers,
	.shows = {IN_REPORTS},
	.write = blockers_write,
};
