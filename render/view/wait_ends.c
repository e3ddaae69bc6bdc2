/*
 * A row for each thread that waited, who ended that, and what it waited for. Of a wait that did not
 * end in the capture it says who could have ended it: who holds the lock, or who ended other waits
 * for the same.
 */
#include "view/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "model/reason.h"
#include "model/waits.h"
#include "query/wait_class.h"
#include "view/base.h"

#define TERMINAL_ROWS 12
/* Of those that could have ended a wait so many are named. */
#define NAMED_MOST 3

struct end {
	struct blocker is; /* its thread and reason: the first of the rows that it sums up */
	uint8_t class;	   /* enum wait_class */
	bool is_sleep;
};

struct ends {
	const struct profile *p;
	bool wakers; /* who ended waits was captured */
	VEC(struct end) rows;
	struct map by_key;
};

/* --- classes ---------------------------------------------------------------------------------- */

/* How long a thread waited for one reason, by class. */
struct class_sum {
	int64_t of[WAIT_CLASSES];
};

struct class_sums {
	VEC(struct class_sum) rows;
	struct map by_key;
};

static uint64_t class_key(const struct profile *p, uint32_t thread, uint32_t reason)
{
	return hash_two(thread_key(&p->threads.at[thread]), reason);
}

static void classes_add(struct class_sums *c, const struct view_input *in)
{
	const struct profile *p = in->profile;
	struct wait_classes own;
	const struct wait_classes *classes = wait_classes_of(p, in->selection->waits, &own);

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.at[i];
		uint32_t at;

		if (!s->reason)
			continue;
		at = map_number(&c->by_key, class_key(p, s->thread, s->reason), c->rows.n);
		if (at == c->rows.n)
			vec_push(&c->rows, (struct class_sum){0});
		c->rows.at[at].of[classes->of[i]] += s->wait_ns;
	}
	wait_classes_release(&own);
}

/* What the waits were for most of the time. */
static uint8_t class_of(const struct class_sums *c, const struct profile *p,
			const struct blocker *b)
{
	const uint32_t *at = map_get(&c->by_key, class_key(p, b->thread, b->reason));
	uint8_t most = WAIT_UNDECIDED;

	for (uint8_t class = WAIT_NONE + 1; at && class < WAIT_CLASSES; class ++)
		if (c->rows.at[*at].of[class] > c->rows.at[*at].of[most])
			most = class;
	return most;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* What is the same in all rows of an end: whatever the system calls and the thread's names were. */
static uint64_t end_key(const struct profile *p, const struct blocker *b, uint8_t class)
{
	const struct reason *r = &p->reasons.at[b->reason];
	const uint64_t who = hash_two((uint64_t)b->pid << 32 | b->tid, b->tid ? 0 : b->name);
	const uint64_t what = hash_two((uint64_t)r->kind << 32 | r->object, class);

	return hash_two(hash_two(who, (uint64_t)b->by),
			hash_two(what, thread_key(&p->threads.at[b->thread])));
}

static void add(struct ends *e, const struct class_sums *classes, const struct blocker *b)
{
	const uint8_t class = class_of(classes, e->p, b);
	const uint32_t at = map_number(&e->by_key, end_key(e->p, b, class), e->rows.n);

	if (at == e->rows.n)
		vec_push(&e->rows, ((struct end){.is = *b,
						 .class = class,
						 .is_sleep = e->p->reasons.at[b->reason].kind ==
							     REASON_SLEEP}));
	else
		e->rows.at[at].is.ns += b->ns;
}

/* Its waits end by themselves, or the thread had nothing to do. */
static bool comes_last(const struct end *e)
{
	return e->class == WAIT_IDLE || e->is_sleep;
}

/* First what kept threads from their work. */
static int by_weight(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	return order_up(comes_last(a), comes_last(b)) ?:
	       order_down(a->is.ns, b->is.ns) ?:
	       order_up(a->is.thread, b->is.thread) ?: order_up(a->is.tid, b->is.tid);
}

/* --- who could have ended it ------------------------------------------------------------------ */

static bool is_same_object(const struct profile *p, const struct blocker *a,
			   const struct blocker *b)
{
	const uint32_t object = p->reasons.at[a->reason].object;

	return *profile_text(p, object) && object == p->reasons.at[b->reason].object &&
	       p->threads.at[a->thread].pid == p->threads.at[b->thread].pid;
}

/* ": flusher 4712 holds it" */
static bool add_holder(const struct profile *p, const struct blocker *open, struct str *s)
{
	vec_each (b, &p->blockers)
		if (blocker_is_holder(b->by) && is_same_object(p, open, b) &&
		    thread_key(&p->threads.at[b->thread]) ==
			    thread_key(&p->threads.at[open->thread])) {
			str_addf(s, ": %s %u holds it", profile_text(p, b->name), b->tid);
			return true;
		}
	return false;
}

/* ": others' waits for it ended worker 4713, worker 4714" */
static void add_candidates(const struct ends *e, const struct blocker *open, struct str *s)
{
	uint32_t named[NAMED_MOST];
	size_t n = 0;

	vec_each (end, &e->rows) {
		const struct blocker *b = &end->is;
		bool known = false;

		for (size_t i = 0; i < n; i++)
			known |= named[i] == b->tid;
		if (b->by != BLOCKER_WOKE || known || n == NAMED_MOST ||
		    !is_same_object(e->p, open, b))
			continue;
		str_addf(s, "%s %s %u", n ? "," : ": other waits for it were ended by",
			 profile_text(e->p, b->name), b->tid);
		named[n++] = b->tid;
	}
}

/* Whether it was captured in one piece: a wait that goes on is cut where a window ends. */
static bool is_one(const struct profile *p)
{
	return p->windows.n <= 1;
}

/* Freed by the caller. */
static char *who_text(const struct ends *e, const struct blocker *b)
{
	struct str s = {0};

	if (b->by == BLOCKER_WOKE)
		return mem_strdup(profile_text(e->p, b->name));
	if (b->by == BLOCKER_INTERRUPT)
		return str_cut_middle(profile_text(e->p, b->name), 64, "…");
	if (b->by == BLOCKER_OPEN)
		str_addf(&s, "not ended in this capture%s",
			 is_one(e->p) ? "" : " or this part of it");
	else
		str_add(&s, blocker_text(b->by));
	if (b->by == BLOCKER_NEAR)
		str_addf(&s, ": %s", profile_text(e->p, b->name));
	else if (!add_holder(e->p, b, &s))
		add_candidates(e, b, &s);
	return str_steal(&s);
}

/* --- the table -------------------------------------------------------------------------------- */

static void end_row(struct doc_table *t, const struct ends *e, const struct end *end)
{
	const struct blocker *b = &end->is;
	const struct thread *thread = &e->p->threads.at[b->thread];
	const struct reason *r = &e->p->reasons.at[b->reason];
	_free_ char *who = who_text(e, b);

	base_time_cell(t, (double)b->ns);
	doc_cell(t, 0, "%s", profile_text(e->p, thread->name));
	doc_cell(t, thread->tid, "%u", thread->tid);
	doc_cell(t, 0, "%s", wait_class_name(end->class));
	doc_cell(t, 0, "%s", b->reason ? reason_kind_name(r->kind) : "");
	doc_cell(t, 0, "%s", profile_text(e->p, r->object));
	doc_cell(t, 0, "%s", who);
	if (b->tid)
		doc_cell(t, b->tid, "%u", b->tid);
	else
		doc_cell(t, 0, "–");
}

static void write_table(struct ends *e, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Blocked", "blocked_ns", CELL_NUMBER, "time of these waits, of samples"},
		{"Thread", "thread", CELL_TEXT, "the thread that waited"},
		{"TID", "tid", CELL_NUMBER, NULL},
		{"Class", "class", CELL_TEXT,
		 "idle: the thread had nothing to do; held up: it waited within its work"},
		{"Reason", "reason", CELL_TEXT, NULL},
		{"Waited for", "object", CELL_TEXT, "lock, file, pipe or socket"},
		{"Ended by", "ended_by", CELL_TEXT, "the thread or the interrupt that woke it"},
		{"Its TID", "ended_by_tid", CELL_NUMBER, NULL},
	};
	struct doc_table *t;

	vec_sort(&e->rows, by_weight);
	doc_heading(doc, "Who ended the waits");
	t = doc_table_of(doc,
			 e->wakers
				 ? "of the whole capture; idle waits and sleeps last"
				 : "those that did not end; --wakers captures who ended the others",
			 columns);
	doc_limit(t, TERMINAL_ROWS, 0, "rows");
	vec_each (end, &e->rows)
		end_row(t, e, end);
}

void wait_ends_write(const struct view_input *in, const bool *selected, struct doc *doc)
{
	struct ends e = {.p = in->profile};
	struct class_sums classes = {0};

	vec_each (b, &e.p->blockers) {
		if (!blocker_is_of_end(b->by) || (selected && !selected[b->thread]))
			continue;
		if (!classes.rows.n)
			classes_add(&classes, in);
		add(&e, &classes, b);
		e.wakers |= b->by != BLOCKER_OPEN;
	}
	if (e.rows.n)
		write_table(&e, doc);
	vec_release(&e.rows);
	map_release(&e.by_key);
	vec_release(&classes.rows);
	map_release(&classes.by_key);
}
