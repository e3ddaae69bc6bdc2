#include "view/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "account/hot_path.h"
#include "account/thread_accounts.h"
#include "query/wait_sums.h"
#include "view/base.h"

#define NAMED_MOST 3
/* Threads that were busy or held up for less than this share of their time are not named. */
#define NAMED_SHARE 0.01
/* So that the functions begin in the first screen. */
#define WHO_ROWS  4
#define WHO_PATHS 20

/* --- words ------------------------------------------------------------------------------------ */

/* "postgres 4711: 5.73 s of 6.01 s, most in ProcSleep (epoll)" */
static void add_thread(struct str *s, const struct thread_accounts *a,
		       const struct thread_account *t, size_t class)
{
	const struct thread *thread = &a->p->threads.at[t->thread];
	const struct thread_hold *hold =
		class == WAIT_NONE ? NULL : thread_accounts_hold(a, t->number, class);
	char part[UNITS_BUF], all[UNITS_BUF];

	str_addf(s, "%s%s %u: %s of %s", s->n ? "; " : "", profile_text(a->p, thread->name),
		 thread->tid, units_value(part, sizeof(part), (double)t->of[class], a->unit),
		 units_value(all, sizeof(all), (double)thread_account_whole(t), a->unit));
	if (hold && hold->function)
		str_addf(s, " in %s", profile_text(a->p, a->p->functions.at[hold->function].name));
	if (hold && hold->kind && hold->kind < REASON_KINDS)
		str_addf(s, " (%s)", reason_kind_name(hold->kind));
	if (class == WAIT_NONE && t->ready)
		str_addf(s, " (%s of it waiting for a CPU)",
			 units_value(part, sizeof(part), (double)t->ready, a->unit));
}

/* The threads that were most of that class; @before: in words what they are. */
static void class_fact(struct thread_accounts *a, struct doc_block *b, const char *label,
		       size_t class, const char *before)
{
	size_t named = 0, more = 0;
	struct str s = {0};

	thread_accounts_sort(a, class);
	vec_each (t, &a->all) {
		if (!t->of[class] ||
		    (double)t->of[class] < NAMED_SHARE * (double)thread_account_whole(t))
			continue;
		if (named++ < NAMED_MOST)
			add_thread(&s, a, t, class);
		else
			more++;
	}
	if (more)
		str_addf(&s, "; and %s more", count_text((int64_t)more));
	if (s.n)
		doc_fact(b, false, label, "%s%s", before, s.s);
	str_release(&s);
}

/* "16.0 s in 4 threads" */
static char *sum_text(const struct thread_accounts *a, size_t class)
{
	char sum[UNITS_BUF];

	units_value(sum, sizeof(sum), (double)a->of[class], a->unit);
	return mem_printf("%s in %s thread%s", sum, count_text((int64_t)a->threads[class]),
			  a->threads[class] == 1 ? "" : "s");
}

static void write_facts(struct thread_accounts *a, struct doc_block *b)
{
	const bool held_first = a->of[WAIT_HELD_UP] > a->of[WAIT_NONE];
	_free_ char *undecided = sum_text(a, WAIT_UNDECIDED);
	_free_ char *idle = sum_text(a, WAIT_IDLE);
	_free_ char *before = mem_printf(
		"%s whose stacks do not tell whether there was nothing to do: ", undecided);

	if (!held_first)
		class_fact(a, b, "Busy", WAIT_NONE, "");
	class_fact(a, b, "Held up", WAIT_HELD_UP, "");
	if (held_first)
		class_fact(a, b, "Busy", WAIT_NONE, "");
	class_fact(a, b, "Undecided", WAIT_UNDECIDED, before);
	if (a->of[WAIT_IDLE])
		doc_fact(b, false, "Idle", "%s that had nothing to do", idle);
}

void wait_facts(const struct view_input *in, struct doc_block *b)
{
	struct thread_accounts a;

	if (!profile_has(in->profile, PART_OFFCPU))
		return;
	thread_accounts_init(&a, in->profile, in->selection);
	if (thread_accounts_wait(&a))
		write_facts(&a, b);
	thread_accounts_release(&a);
}

void wait_left_out_fact(const struct view_input *in, struct doc_block *b)
{
	_free_ char *text = wait_left_out(in->profile, in->selection);

	if (text)
		doc_fact(b, false, "Left out", "%s", text);
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct doc_column who_columns[] = {
	{"Thread", "thread", CELL_TEXT, NULL},
	{"Busy", "busy_ns", CELL_NUMBER, "on a CPU"},
	{"Ready", "ready_ns", CELL_NUMBER, "without a CPU"},
	{"Held up", "held_up_ns", CELL_NUMBER, "blocked in its work"},
	{"Undecided", "undecided_ns", CELL_NUMBER,
	 "blocked, and its stacks do not tell whether it had something to do"},
	{"Idle", "idle_ns", CELL_NUMBER, "blocked, with nothing to do"},
	{"Waits most in", "waits_in", CELL_TEXT, "the function, and what it waited for"},
};

static int64_t concern(const struct thread_account *t)
{
	return t->on + t->ready + t->of[WAIT_HELD_UP];
}

/* First those that had something to do, then those of which it is not known. */
static int by_concern(const void *left, const void *right, void *context)
{
	const struct thread_account *a = left, *b = right;

	(void)context;
	return order_down(concern(a), concern(b)) ?:
	       order_down(a->of[WAIT_UNDECIDED], b->of[WAIT_UNDECIDED]) ?:
	       order_up(a->thread, b->thread);
}

static void time_cell(struct doc_table *t, int64_t ns)
{
	if (ns)
		base_time_cell(t, (double)ns);
	else
		doc_cell(t, 0, "–");
}

/* "ProcSleep > WaitLatch": the calls that led to its waits; of the many threads further down the
 * last alone, as each of these takes a look at all samples. */
static void add_calls(struct str *s, const struct thread_accounts *a,
		      const struct thread_account *t, const struct thread_hold *hold)
{
	struct hot_branch b = {.calls = {hold->function}, .n = 1};

	if ((size_t)(t - a->all.at) < WHO_PATHS)
		b = hot_path_to_wait(a, t, hold);
	hot_branch_text(a->p, &b, s);
}

/* Of waits that held it up, if there are any, else of those that may have. */
static void hold_cell(struct doc_table *table, const struct thread_accounts *a,
		      const struct thread_account *t)
{
	const size_t class = t->of[WAIT_HELD_UP]     ? WAIT_HELD_UP
			     : t->of[WAIT_UNDECIDED] ? WAIT_UNDECIDED
						     : WAIT_IDLE;
	const struct thread_hold *hold = thread_accounts_hold(a, t->number, class);
	const char *kind =
		hold && hold->kind && hold->kind < REASON_KINDS ? reason_kind_name(hold->kind) : "";
	struct str s = {0};

	if (hold && hold->function)
		add_calls(&s, a, t, hold);
	doc_cell(table, 0, "%s%s%s%s", str_text(&s), s.n && *kind ? " (" : "", kind,
		 s.n && *kind ? ")" : "");
	str_release(&s);
}

static void who_row(struct doc_table *table, const struct thread_accounts *a,
		    const struct thread_account *t)
{
	const struct thread *thread = &a->p->threads.at[t->thread];

	doc_cell(table, thread->tid, "%s %u", profile_text(a->p, thread->name), thread->tid);
	time_cell(table, t->on);
	time_cell(table, t->ready);
	time_cell(table, t->of[WAIT_HELD_UP]);
	time_cell(table, t->of[WAIT_UNDECIDED]);
	time_cell(table, t->of[WAIT_IDLE]);
	hold_cell(table, a, t);
}

static void who(struct thread_accounts *a, struct doc *doc)
{
	struct doc_table *t;

	doc_heading(doc, "Who was busy or held up");
	t = doc_table_of(doc, "", who_columns);
	/* Where a terminal is narrow. */
	doc_spare(t, 5);
	doc_spare(t, 4);
	doc_limit(t, WHO_ROWS, 0, "threads");
	vec_sort_by(&a->all, by_concern, NULL);
	vec_each (account, &a->all)
		who_row(t, a, account);
}

void who_table(const struct view_input *in, struct doc *doc)
{
	struct thread_accounts a;

	if (!profile_has(in->profile, PART_OFFCPU) || in->selection->metric)
		return;
	thread_accounts_init(&a, in->profile, in->selection);
	if (thread_accounts_wait(&a))
		who(&a, doc);
	thread_accounts_release(&a);
}
