/*
 * totals: how long the target's threads were on a CPU, ready without one, and blocked, by the
 * scheduler's own accounts; of every capture that does not measure time off the CPU itself. The
 * kernel adds to these at each switch anyway: they are read at first sight of a thread, at its exit
 * and at the ends of windows.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "source/ledger.h"
#include "source/source.h"
#include "book/totalbook.h"
#include "wire_totals.h"

/* Threads that have ended, at most, in a capture: more than a build or a day's cron jobs. */
#define MOST_ENDED (256u << 10)

#define EXIT_US	    2000
#define EXIT_ROUNDS 25

/* A thread that has exited, until its last record comes. */
struct exiting {
	uint64_t key;
	struct total total;
};

struct totals {
	struct session *session;
	struct opener *opener;
	struct totalbook book;
	VEC(struct exiting) exiting;
	uint64_t ended, left_out; /* threads, since the start of the capture */
	int walk;		  /* iterator over all threads; -1: none is open */
};

static const char *const programs[] = {"totals_exit", "totals_free", "totals_now", NULL};

static void *totals_new(const void *options)
{
	struct totals *t = mem_zalloc(1, sizeof(*t));

	(void)options;
	t->walk = -1;
	return t;
}

static void totals_free(void *state)
{
	struct totals *t = state;

	if (!t)
		return;
	if (t->walk >= 0)
		close(t->walk);
	totalbook_release(&t->book);
	vec_release(&t->exiting);
	free(t);
}

static void begin(void *state, const struct source_services *services)
{
	struct totals *t = state;

	t->session = services->session;
	t->opener = services->opener;
}

static uint64_t counter(const struct totals *t, enum wire_totals_counter what)
{
	return session_map_value(t->session, "totals_counters", what);
}

/* The scheduler notes when we come to a CPU: the walk, which begins with that, has the time of it
 * if we have just come. */
static void come_anew(void)
{
	usleep(1);
}

static void start(void *state)
{
	struct totals *t = state;

	session_map_set(t->session, "totals_control", WIRE_TOTALS_STARTED_NS,
			clock_ns(CLOCK_MONOTONIC));
	come_anew();
	(void)session_walk_tasks(t->session, "totals_now");
}

/* As many threads at a time as the ring takes. */
static bool survey(void *state)
{
	struct totals *t = state;
	int more = -1;

	if (t->walk < 0) {
		t->walk = session_open_walk(t->session, "totals_now");
		come_anew();
	}
	if (t->walk >= 0)
		more = session_walk_on(t->opener, t->walk);
	if (more > 0)
		return true;
	if (t->walk >= 0)
		close(t->walk);
	t->walk = -1;
	return false;
}

static void stop(void *state)
{
	struct totals *t = state;

	/* Who has just exited may have to run a little more. */
	for (int i = 0;
	     i < EXIT_ROUNDS && counter(t, WIRE_TOTALS_OVER) < counter(t, WIRE_TOTALS_EXITED); i++)
		usleep(EXIT_US);
	come_anew();
	(void)session_walk_tasks(t->session, "totals_now");
	session_map_set(t->session, "totals_control", WIRE_TOTALS_STARTED_NS, 0);
}

/* --- records -------------------------------------------------------------------------------- */

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static struct total total_of(const struct wire_totals *w, uint32_t thread)
{
	return (struct total){.thread = thread,
			      .on_ns = w->on_ns,
			      .blocked_ns = less(w->life_ns, w->on_ns + w->ready_ns),
			      .runnable_ns = w->ready_ns,
			      .waits = w->voluntary + w->involuntary,
			      .voluntary = w->voluntary,
			      .involuntary = w->involuntary,
			      .priority = w->priority,
			      .quota_ns = w->quota_ns,
			      .period_ns = w->period_ns};
}

static void add_ended(struct totals *t, const struct total *total)
{
	if (t->ended++ < MOST_ENDED)
		totalbook_add(&t->book, total);
	else
		t->left_out++;
}

static void take_last(struct totals *t, const struct wire_totals *w)
{
	vec_each (e, &t->exiting) {
		if (e->key != w->key)
			continue;
		e->total = total_of(w, e->total.thread);
		add_ended(t, &e->total);
		*e = t->exiting.at[--t->exiting.n];
		return;
	}
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_totals *w = record;
	struct totals *t = state;
	struct total total;

	(void)stacks;
	if (w->news == WIRE_TOTALS_LAST) {
		take_last(t, w);
		return;
	}
	total = total_of(w, procs_thread(procs, w->pid, w->tid));
	if (w->news == WIRE_TOTALS_SPAN)
		totalbook_add(&t->book, &total);
	else
		vec_push(&t->exiting, ((struct exiting){w->key, total}));
}

static void drained(void *state)
{
	struct totals *t = state;

	vec_each (e, &t->exiting)
		add_ended(t, &e->total);
	t->exiting.n = 0;
}

/* --- windows -------------------------------------------------------------------------------- */

static void window_end(void *state)
{
	totalbook_window_end(&((struct totals *)state)->book);
}

static void window_forget(void *state, struct survivors *r)
{
	struct totals *t = state;

	totalbook_window_forget(&t->book, r);
	vec_each (e, &t->exiting)
		survivors_thread(r, e->total.thread);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct totals *t = state;

	totalbook_window_renumber(&t->book, r);
	vec_each (e, &t->exiting)
		e->total.thread = survivors_new_thread(r, e->total.thread);
}

/* --- a profile ------------------------------------------------------------------------------ */

static void finish(const void *state, struct assembly *a)
{
	totalbook_put(&((const struct totals *)state)->book, a);
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct totals *t = state;

	(void)in;
	profile_note(p,
		     "threads whose time ready without a CPU is unknown: this kernel does not keep "
		     "it (CONFIG_SCHED_INFO)",
		     counter(t, WIRE_TOTALS_UNKNOWN));
	profile_note(p, "totals of threads lost: ring or memory full",
		     counter(t, WIRE_TOTALS_LOST));
	profile_note(p, "totals of threads left out: too many", t->left_out);
}

static struct program_run run(const void *state, const struct profile *p)
{
	const struct totals *t = state;

	(void)p;
	return (struct program_run){.ns = counter(t, WIRE_TOTALS_RUN_NS),
				    .runs = counter(t, WIRE_TOTALS_RUNS)};
}

const struct source totals_source = {
	.programs = programs,
	.new = totals_new,
	.free = totals_free,
	.finish = finish,
	.begin = begin,
	.start = start,
	.survey = survey,
	.take = take,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.stop = stop,
	.drained = drained,
	.account = account,
	.run = run,
};
