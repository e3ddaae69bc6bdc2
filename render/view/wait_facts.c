#include "view/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"
#include "account/hot_path.h"
#include "account/thread_accounts.h"
#include "model/waits.h"
#include "query/filter.h"
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

/* --- ready without a CPU ---------------------------------------------------------------------- */

#define NAMED_MOST 3
/* Threads that could run for all but this share of the time in which they wanted to are not named,
 * nor those whose part of all time ready is less. */
#define READY_SHARE 0.05
/* From this share on it is a warning: threads starve. */
#define STARVED_SHARE 0.25
#define STARVED_NS    1e8

struct ready {
	uint32_t thread; /* its last row */
	double on_ns, ready_ns;
	int64_t nice;
};

struct readies {
	const struct profile *p;
	VEC(struct ready) threads;
	struct map by_thread;
	struct ready all;
};

static double share(const struct ready *r)
{
	const double wanted = r->on_ns + r->ready_ns;

	return wanted > 0 ? r->ready_ns / wanted : 0;
}

static uint32_t number_of(struct readies *a, uint32_t thread)
{
	const struct thread *t = &a->p->threads.at[thread];
	const uint64_t key = thread_key(t);

	return map_number(&a->by_thread, key, a->threads.n);
}

static void add(struct readies *a, const struct thread_wait *w)
{
	const uint32_t at = number_of(a, w->thread);

	if (at == a->threads.n)
		vec_push(&a->threads, ((struct ready){0}));
	a->threads.at[at].thread = w->thread;
	a->threads.at[at].on_ns += (double)w->on_ns;
	a->threads.at[at].ready_ns += (double)w->runnable_ns;
	a->threads.at[at].nice = w->nice;
	a->all.on_ns += (double)w->on_ns;
	a->all.ready_ns += (double)w->runnable_ns;
}

static int by_ready(const void *left, const void *right, void *context)
{
	const struct ready *a = left, *b = right;

	(void)context;
	return order_down(a->ready_ns, b->ready_ns) ?: order_up(a->thread, b->thread);
}

void ready_why(const struct profile *p, uint32_t thread, int64_t nice, struct str *out)
{
	const uint64_t key = thread_key(&p->threads.at[thread]);
	const struct blocker *most = NULL;

	if (nice)
		str_addf(out, ", nice %lld", (long long)nice);
	vec_each (b, &p->blockers)
		if (thread_key(&p->threads.at[b->thread]) == key && blocker_is_of_cpu(b->by) &&
		    (!most || b->ns > most->ns))
			most = b;
	if (most && most->pid)
		str_addf(out, ", behind %s %u", profile_text(p, most->name), most->tid);
	else if (most)
		str_addf(out, ", %s", blocker_text(most->by));
}

/* "; most: cc1 4711 310 ms (40 %), make 4700 20 ms (9 %)" */
static void add_most(struct readies *a, struct str *out)
{
	size_t named = 0;

	for (size_t i = 0; i < a->threads.n && named < NAMED_MOST; i++) {
		const struct ready *r = &a->threads.at[i];
		const struct thread *t = &a->p->threads.at[r->thread];

		if (share(r) < READY_SHARE || r->ready_ns < READY_SHARE * a->all.ready_ns)
			continue;
		str_addf(out, "%s%s %u %s (%s",
			 named++ ? ", " : "; most: ", profile_text(a->p, t->name), t->tid,
			 ns_text(r->ready_ns), percent_text(share(r), 1));
		ready_why(a->p, r->thread, r->nice, out);
		str_add(out, ")");
	}
}

void ready_fact(const struct view_input *in, struct doc_block *b)
{
	struct readies a = {.p = in->profile};
	struct filter filter;
	struct str most = {0};
	bool starved;

	if (!a.p->thread_waits.n)
		return;
	if (!filter_init(&filter, a.p, in->selection))
		vec_each (w, &a.p->thread_waits)
			if (!filter.thread || filter.thread[w->thread])
				add(&a, w);
	filter_release(&filter);
	vec_sort_by(&a.threads, by_ready, NULL);
	add_most(&a, &most);
	starved = share(&a.all) >= STARVED_SHARE && a.all.ready_ns >= STARVED_NS;
	if (a.all.on_ns + a.all.ready_ns > 0)
		doc_fact(b, starved, "Ready",
			 "%s without a CPU, %s of the time that threads wanted to run%s",
			 ns_text(a.all.ready_ns), percent_text(share(&a.all), 1), str_text(&most));
	str_release(&most);
	vec_release(&a.threads);
	map_release(&a.by_thread);
}
