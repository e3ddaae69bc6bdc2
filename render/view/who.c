#include "view/who.h"

#include "base/str.h"
#include "model/reason.h"
#include "query/hot_path.h"
#include "view/base.h"

/* So that the functions begin in the first screen. */
#define TERMINAL_ROWS 4
#define PATHS_MOST    20

static const struct doc_column columns[] = {
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

	if ((size_t)(t - a->all.at) < PATHS_MOST)
		b = hot_path_to_wait(a, t, hold);
	for (size_t i = 0; i < b.n; i++)
		str_addf(s, "%s%s", i ? " > " : "",
			 profile_text(a->p, a->p->functions.at[b.calls[i]].name));
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

static void row(struct doc_table *table, const struct thread_accounts *a,
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

static void table(struct thread_accounts *a, struct doc *doc)
{
	struct doc_table *t;

	doc_heading(doc, "Who was busy or held up");
	t = doc_table_of(doc, "", columns);
	/* Where a terminal is narrow. */
	doc_spare(t, 5);
	doc_spare(t, 4);
	doc_limit(t, TERMINAL_ROWS, 0, "threads");
	vec_sort_by(&a->all, by_concern, NULL);
	vec_each (account, &a->all)
		row(t, a, account);
}

void who_table(const struct view_input *in, struct doc *doc)
{
	struct thread_accounts a;

	if (!profile_has(in->profile, PART_OFFCPU) || in->selection->metric)
		return;
	thread_accounts_init(&a, in->profile, in->selection);
	if (thread_accounts_wait(&a))
		table(&a, doc);
	thread_accounts_release(&a);
}
