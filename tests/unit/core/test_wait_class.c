/*
 * wait_class: threads whose answer is known. A thread is a list of stacks that come one after
 * another, round by round. In a stack a '*' marks a frame of the kernel, a '@' one of the C
 * library.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "query/filter.h"
#include "query/tree.h"
#include "query/wait_class.h"
#include "query/wait_sums.h"
#include "small_profile.h"

struct step {
	const char *stack;
	enum reason_kind kind; /* REASON_NONE: the thread ran */
	const char *wanted;    /* class of all of these waits */
	const char *call;
	int every; /* only in each so many rounds; -1: only in the first, -2: only in the last */
};

#define RUNS(path, ...)                                      \
	{                                                    \
		.stack = (path), .wanted = "", ##__VA_ARGS__ \
	}
#define WAITS(path, why, class, ...)                                             \
	{                                                                        \
		.stack = (path), .kind = (why), .wanted = (class), ##__VA_ARGS__ \
	}
#define END                   \
	{                     \
		.stack = NULL \
	}

#define ROUNDS	30
#define WAIT_NS 500
#define STEP_NS 1000

static uint32_t marked_frame(struct profile *p, const char *name, size_t n)
{
	const char mark = n ? name[n - 1] : '\0';
	const bool marked = mark == '*' || mark == '@' || mark == '!';
	struct function f = {.name = intern_addn(&p->strings, name, n - marked), .named = 1};
	struct frame e = {.line = 1};

	if (mark == '@')
		f.module = profile_module(p, "/usr/lib/libc.so.6", "");
	f.kind = mark == '*' ? KIND_KERNEL : mark == '!' ? KIND_MARK : KIND_NATIVE;
	e.function = profile_function(p, &f);
	return profile_frame(p, &e);
}

static struct profile *waits_profile(void)
{
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_metric(p, METRIC_BLOCKED, "ns", METRIC_SUM);
	profile_add_part(p, PART_OFFCPU);
	return p;
}

static void add_step(struct profile *p, uint32_t thread, const struct step *s, uint64_t time_ns)
{
	const bool runs = s->kind == REASON_NONE || s->kind == REASON_RUNNABLE;
	const int64_t values[] = {runs ? 10 : 0, runs ? 0 : WAIT_NS};

	profile_sample(p, time_ns, thread, small_node_of(p, s->stack, marked_frame), values);
	if (s->kind != REASON_NONE)
		small_reason(p, p->samples.n - 1, s->kind, s->kind == REASON_RUNNABLE ? 'R' : 'S',
			     s->call ? s->call : "", "");
	if (!runs)
		p->samples.at[p->samples.n - 1].wait_ns = WAIT_NS;
}

static bool is_due(const struct step *s, int round)
{
	if (s->every < 0)
		return round == (s->every == -1 ? 0 : ROUNDS - 1);
	return !s->every || round % s->every == 0;
}

/* Adds a thread of these steps, which end with one without a stack. */
static void add_thread(struct profile *p, const struct step *steps)
{
	const uint32_t tid = (uint32_t)p->threads.n + 1;
	const uint32_t thread = small_thread(p, 1, tid, "thread", "prog");
	uint64_t time_ns = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (const struct step *s = steps; s->stack; s++)
			if (is_due(s, round))
				add_step(p, thread, s, time_ns += STEP_NS);
}

static void check_thread(const char *name, const struct step *steps)
{
	struct profile *p = waits_profile();
	struct wait_classes classes;
	size_t row = 0;

	add_thread(p, steps);
	wait_classes_init(&classes, p);
	for (int round = 0; round < ROUNDS; round++)
		for (const struct step *s = steps; s->stack; s++) {
			const char *wanted = s->wanted ? s->wanted : "";

			if (!is_due(s, round))
				continue;
			if (strcmp(wait_class_name(classes.of[row]), wanted))
				fail_msg("%s: %s is '%s', not '%s'", name, s->stack,
					 wait_class_name(classes.of[row]), wanted);
			row++;
		}
	assert_int_equal(row, p->samples.n);
	wait_classes_release(&classes);
	profile_free(p);
}

#define CHECK(...)                                               \
	do {                                                     \
		const struct step steps_[] = {__VA_ARGS__, END}; \
		check_thread(__func__, steps_);                  \
	} while (0)

/* A client that starts, then waits in its loop and handles what comes. */
static void event_loop(void **state)
{
	(void)state;
	CHECK(RUNS("main;start", .every = -1),
	      WAITS("main;loop;epoll_wait@;sys*;wait*", REASON_EPOLL, "idle"),
	      RUNS("main;loop;handle;parse"), RUNS("main;loop;handle"));
	/* The same, which began with other waits. */
	CHECK(WAITS("main;start;connect;poll@;sys*", REASON_POLL, "undecided", .every = -1),
	      WAITS("main;loop;epoll_wait@;sys*;wait*", REASON_EPOLL, "idle"),
	      RUNS("main;loop;handle;parse"));
	/* Work within the frame of the loop, and inlined wrappers that are not known. */
	CHECK(WAITS("main;loop;next;get;sys*", REASON_PIPE, "idle"), RUNS("main;loop"));
}

/* All of a database's waits are epoll; what tells them apart is where they branch off. */
static void database(void **state)
{
	(void)state;
	CHECK(WAITS("main;PostgresMain;ReadCommand;secure_read;WaitEventSetWait;epoll_wait@;sys*",
		    REASON_EPOLL, "idle"),
	      RUNS("main;PostgresMain;ReadCommand;secure_read;recv@;sys*"),
	      RUNS("main;PostgresMain;exec;heap_update"),
	      WAITS("main;PostgresMain;exec;heap_update;ProcSleep;WaitEventSetWait;epoll_wait@;"
		    "sys*",
		    REASON_EPOLL, "held up"),
	      WAITS("main;PostgresMain;exec;commit;fdatasync@;sys*", REASON_DISK, "held up",
		    .call = "fdatasync"));
	/* One wait for a lock until the capture's end. */
	CHECK(WAITS("main;PostgresMain;ReadCommand;WaitEventSetWait;epoll_wait@", REASON_EPOLL,
		    "idle"),
	      RUNS("main;PostgresMain;exec;heap_update"),
	      WAITS("main;PostgresMain;exec;heap_update;ProcSleep;WaitEventSetWait;epoll_wait@",
		    REASON_EPOLL, "held up", .every = -2));
	/* The same after a single command: nobody saw that it waits for more. */
	CHECK(WAITS("main;PostgresMain;ReadCommand;WaitEventSetWait;epoll_wait@", REASON_EPOLL,
		    "undecided", .every = -1),
	      RUNS("main;PostgresMain;exec;heap_update", .every = -1),
	      WAITS("main;PostgresMain;exec;heap_update;ProcSleep;WaitEventSetWait;epoll_wait@",
		    REASON_EPOLL, "held up", .every = -2));
	/* Now and then a sample of work in what reads. */
	CHECK(WAITS("main;PostgresMain;ReadCommand;secure_read;epoll_wait@;sys*", REASON_EPOLL,
		    "idle"),
	      RUNS("main;PostgresMain;ReadCommand;copy", .every = 15),
	      RUNS("main;PostgresMain;exec;scan"),
	      WAITS("main;PostgresMain;exec;lock;sem_wait@;sys*", REASON_LOCK, "held up"));
}

static void pool(void **state)
{
	(void)state;
	CHECK(WAITS("start;worker;get;pthread_cond_wait@;sys*", REASON_LOCK, "idle"),
	      RUNS("start;worker;task;spin"),
	      WAITS("start;worker;task;pthread_mutex_lock@;sys*", REASON_LOCK, "held up"));
	/* By the C++ library, beside a sleep. */
	CHECK(WAITS("start;worker;pthread_cond_wait@;sys*", REASON_LOCK, "idle"),
	      WAITS("start;worker;nanosleep@;sys*", REASON_SLEEP, "idle", .every = 3),
	      RUNS("start;worker;task"));
	/* A lock that is contended within a wait for a condition is one of its own. */
	CHECK(WAITS("start;worker;uv_cond_wait;pthread_cond_wait@;sys*", REASON_LOCK, "idle"),
	      WAITS("start;worker;uv_cond_wait;pthread_cond_wait@;__pthread_mutex_cond_lock@;sys*",
		    REASON_LOCK, "held up", .every = 15),
	      RUNS("start;worker;task", .every = 10));
}

/* A loop within work is no place to be idle. */
static void nested(void **state)
{
	(void)state;
	CHECK(WAITS("main;outer;poll@;sys*", REASON_POLL, "idle"),
	      WAITS("main;outer;dispatch;inner;poll@;sys*", REASON_POLL, "held up"),
	      RUNS("main;outer;dispatch;inner;handle"));
	/* A loop in which another one handles what comes, as in libuv and nginx. */
	CHECK(WAITS("main;uv_run;io_poll;epoll_pwait@;sys*", REASON_EPOLL, "idle"),
	      RUNS("main;uv_run;io_poll;callback;spin"), RUNS("main;uv_run;timers"),
	      WAITS("main;uv_run;io_poll;callback;futex@;sys*", REASON_LOCK, "held up"));
	/* And without waits of the outer one. */
	CHECK(RUNS("main;work;spin"),
	      WAITS("main;work;step;sem_wait@;sys*", REASON_LOCK, "held up"),
	      RUNS("main;work;step;compute"));
}

/* Each depth is a frame of its own. */
static void recursion(void **state)
{
	(void)state;
	CHECK(WAITS("main;loop;poll@;sys*", REASON_POLL, "idle"),
	      WAITS("main;loop;handle;loop;poll@;sys*", REASON_POLL, "held up"),
	      RUNS("main;loop;handle;loop;handle"), RUNS("main;loop;handle"));
}

static void locks(void **state)
{
	(void)state;
	/* A deadlock, after some work. */
	CHECK(RUNS("start;both;spin", .every = -1),
	      {"start;both;pthread_mutex_lock@;__lll_lock_wait@;sys*", REASON_LOCK, "held up",
	       .every = -2});
	/* The same, all of it before the capture. */
	CHECK({"start;both;pthread_mutex_lock@;__lll_lock_wait@;sys*", REASON_LOCK, "undecided",
	       .every = -2});
	CHECK(WAITS("start;run;ObjectMonitor::enter(JavaThread*);park;sys*", REASON_LOCK,
		    "held up"),
	      RUNS("start;run"));
}

static void one_stack(void **state)
{
	(void)state;
	CHECK(WAITS("start;parked;sem_wait@;sys*", REASON_LOCK, "undecided"));
	/* What ran on the way into the wait, and at the thread's end, is no other stack. */
	CHECK(WAITS("start;parked;sem_wait@;sys*", REASON_LOCK, "undecided"),
	      RUNS("start;parked;sem_wait@;sys*;schedule*"), RUNS("exit*;mmput*"));
	/* Nor is it another one where somebody else woke it. */
	CHECK(WAITS("start;parked;sem_wait@;sys*;[woken by]!;main", REASON_LOCK, "undecided"),
	      WAITS("start;parked;sem_wait@;sys*;[woken by]!;other", REASON_LOCK, "undecided"));
	/* It never came back. */
	CHECK(RUNS("start;init", .every = -1),
	      WAITS("start;pause@;sys*", REASON_SIGNAL, "undecided", .every = -2));
}

static void only_waits_or_works(void **state)
{
	(void)state;
	CHECK(WAITS("main;a;read@;sys*", REASON_PIPE, "undecided"),
	      WAITS("main;b;poll@;sys*", REASON_POLL, "undecided"));
	CHECK(RUNS("main;spin"), {.stack = "main;spin", .kind = REASON_RUNNABLE, .wanted = ""});
	/* Preempted in its work. */
	CHECK(WAITS("main;loop;read@;sys*", REASON_PIPE, "idle"),
	      {.stack = "main;loop;work", .kind = REASON_RUNNABLE, .wanted = ""});
}

/* What is never idle, wherever it is. */
static void clear(void **state)
{
	(void)state;
	CHECK(WAITS("main;loop;read@;sys*", REASON_DISK, "held up"), RUNS("main;loop;work"));
	CHECK(WAITS("main;loop", REASON_FAULT, "held up"), RUNS("main;loop;work"));
	CHECK(WAITS("main;loop;write@;sys*", REASON_PIPE, "held up", .call = "write"),
	      RUNS("main;loop;work"));
	CHECK(WAITS("main;loop;read@;sys*", REASON_DISK, "held up"));
}

/* Go's scheduler runs on a stack of its own, and works. */
static void go(void **state)
{
	(void)state;
	CHECK(RUNS("runtime.mcall;runtime.schedule;runtime.findRunnable"),
	      WAITS("runtime.mcall;runtime.schedule;runtime.findRunnable;runtime.stopm;"
		    "runtime.futexsleep;runtime.futex",
		    REASON_LOCK, "idle"),
	      RUNS("runtime.goexit;main.worker"),
	      WAITS("runtime.goexit;main.worker;os.Read;syscall.Syscall;sys*", REASON_PIPE,
		    "held up"));
	CHECK(WAITS(
		"runtime.mcall;runtime.schedule;runtime.findRunnable;runtime.stopm;runtime.futex",
		REASON_LOCK, "undecided"));
}

/* Threads of the kernel: their states tell. */
static void kernel(void **state)
{
	struct profile *p = waits_profile();
	const struct step step = WAITS("fork*;kthread*;worker*;schedule*", REASON_KERNEL, "");
	const uint32_t thread = small_thread(p, 0, 7, "kworker", "kworker");
	struct wait_classes classes;

	(void)state;
	for (int i = 0; i < 3; i++)
		add_step(p, thread, &step, 1000);
	small_reason(p, 1, REASON_KERNEL, 'D', "", "");
	small_reason(p, 2, REASON_KERNEL, 'I', "", "");
	wait_classes_init(&classes, p);
	assert_int_equal(classes.of[0], WAIT_IDLE);
	assert_int_equal(classes.of[1], WAIT_HELD_UP);
	assert_int_equal(classes.of[2], WAIT_IDLE);
	wait_classes_release(&classes);
	profile_free(p);
}

/* One thread says nothing of another that has the same functions, and has never been seen to work.
 */
static void threads_by_themselves(void **state)
{
	static const struct step server[] = {WAITS("main;loop;poll@;sys*", REASON_POLL, "idle"),
					     RUNS("main;loop;handle"), END};
	static const struct step other[] = {WAITS("main;loop;poll@;sys*", REASON_POLL, "undecided"),
					    END};
	struct profile *p = waits_profile();
	struct wait_classes classes;

	(void)state;
	add_thread(p, server);
	add_thread(p, other);
	wait_classes_init(&classes, p);
	for (size_t i = 0; i < p->samples.n; i++)
		assert_int_equal(classes.of[i], p->samples.at[i].thread	  ? WAIT_UNDECIDED
						: p->samples.at[i].reason ? WAIT_IDLE
									  : WAIT_NONE);
	wait_classes_release(&classes);
	profile_free(p);
}

/* Two servers of one kind. The one with little work was never seen to work where it waits for a
 * lock: alone it would be idle there. */
static void peers_agree(void **state)
{
	static const struct step often[] = {
		WAITS("main;loop;read;poll@;sys*", REASON_EPOLL, "idle"),
		RUNS("main;loop;exec;spin"),
		WAITS("main;loop;exec;lock;poll@;sys*", REASON_EPOLL, "held up"), END};
	static const struct step seldom[] = {
		WAITS("main;loop;exec;lock;poll@;sys*", REASON_EPOLL, "held up"),
		RUNS("main;loop;parse", .every = -1), END};
	struct profile *p = waits_profile();
	struct wait_classes classes;

	(void)state;
	add_thread(p, often);
	add_thread(p, seldom);
	wait_classes_init(&classes, p);
	for (size_t i = 0; i < p->samples.n; i++)
		if (p->samples.at[i].thread && p->samples.at[i].reason)
			assert_int_equal(classes.of[i], WAIT_HELD_UP);
	wait_classes_release(&classes);
	profile_free(p);
}

/* A function that every wait goes through does not tell where one was held up. */
static void names_where(void **state)
{
	static const struct step steps[] = {
		WAITS("main;loop;read_command;wait_event;epoll_wait@;sys*", REASON_EPOLL, "idle"),
		RUNS("main;loop;exec;spin"),
		WAITS("main;loop;exec;proc_sleep;wait_event;epoll_wait@;sys*", REASON_EPOLL,
		      "held up"),
		END};
	struct profile *p = waits_profile();
	struct wait_classes classes;

	(void)state;
	add_thread(p, steps);
	wait_classes_init(&classes, p);
	assert_string_equal(profile_text(p, p->functions.at[classes.site[2]].name), "proc_sleep");
	wait_classes_release(&classes);
	profile_free(p);
}

/* How many waits a selection takes. */
static size_t waits_taken(const struct profile *p, bool omit_idle)
{
	struct filter f;
	size_t n = 0;

	assert_int_equal(filter_init(&f, p, &(struct selection){.omit_idle = omit_idle}), 0);
	for (size_t i = 0; i < p->samples.n; i++)
		n += p->samples.at[i].reason && filter_takes(&f, i);
	filter_release(&f);
	return n;
}

static void leaves_out_idle_alone(void **state)
{
	static const struct step session[] = {
		WAITS("main;loop;read_command;epoll_wait@;sys*", REASON_EPOLL, ""),
		RUNS("main;loop;exec;spin"),
		WAITS("main;loop;exec;proc_sleep;epoll_wait@;sys*", REASON_EPOLL, ""), END};
	static const struct step parked[] = {
		WAITS("start;pause@;sys*", REASON_SIGNAL, "", .every = -2), END};
	const struct selection s = {.metric = METRIC_BLOCKED, .omit_idle = true};
	struct profile *p = waits_profile();
	char *text;

	(void)state;
	add_thread(p, session);
	add_thread(p, parked);
	assert_int_equal(waits_taken(p, false), 2 * ROUNDS + 1);
	assert_int_equal(waits_taken(p, true), ROUNDS + 1);
	text = wait_left_out(p, &s);
	assert_string_equal(text, "--omit-idle left out 15.0 µs of idle waits, and kept 15.0 µs "
				  "held up and 500 ns undecided");
	free(text);
	profile_free(p);
}

/* A thread that waits for work all the time stands behind one that is held up for less. */
static void active_threads_first(void **state)
{
	static const struct step held[] = {
		RUNS("main;loop;handle;parse"),
		WAITS("main;loop;handle;lock@;sys*", REASON_LOCK, "held up"),
		WAITS("main;loop;epoll_wait@;sys*", REASON_EPOLL, "idle", .every = 10), END};
	static const struct step idle[] = {
		RUNS("main;loop;handle", .every = 10),
		WAITS("main;loop;epoll_wait@;sys*", REASON_EPOLL, "idle"),
		WAITS("main;loop;epoll_wait@;sys*", REASON_EPOLL, "idle"), END};
	const struct selection s = {.metric = METRIC_BLOCKED};
	struct profile *p = waits_profile();
	struct thread_rows rows;

	(void)state;
	add_thread(p, idle);
	add_thread(p, held);
	assert_int_equal(threads_build(p, &s, NULL, false, &rows), 0);
	assert_int_equal(rows.rows.n, 2);
	assert_int_equal(rows.rows.at[0].tid, 2);
	assert_int_equal(rows.rows.at[0].active, ROUNDS * WAIT_NS);
	assert_int_equal(rows.rows.at[1].active, 0);
	assert_int_equal(rows.rows.at[1].value, 2 * ROUNDS * WAIT_NS);
	threads_release(&rows);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event_loop),
		cmocka_unit_test(database),
		cmocka_unit_test(pool),
		cmocka_unit_test(nested),
		cmocka_unit_test(recursion),
		cmocka_unit_test(locks),
		cmocka_unit_test(one_stack),
		cmocka_unit_test(only_waits_or_works),
		cmocka_unit_test(clear),
		cmocka_unit_test(go),
		cmocka_unit_test(kernel),
		cmocka_unit_test(threads_by_themselves),
		cmocka_unit_test(peers_agree),
		cmocka_unit_test(names_where),
		cmocka_unit_test(leaves_out_idle_alone),
		cmocka_unit_test(active_threads_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
