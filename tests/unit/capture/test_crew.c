#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>

#include "../../prog/attempts.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "crew/crew.h"
#include "crew/crew_server.h"
#include "process/allowance.h"

/* What the loader learns after the server was started. */
static char secret[64];

/* --- in the worker: a hostile file has taken it over -------------------------------------------
 */

struct reply {
	uint32_t task, check;
	char text[1024];
};

static int reply(const struct crew_request *r, uint32_t task, const char *text)
{
	struct reply out = {.task = task, .check = ~task};

	snprintf(out.text, sizeof(out.text), "%s", text);
	return file_put(r->out_fd, &out, sizeof(out));
}

static char done[900];

static void told(const char *name, long rc)
{
	if (rc >= 0 && strlen(done) + strlen(name) + 2 < sizeof(done))
		strcat(strcat(done, name), " ");
}

static int escape(const struct crew_request *r)
{
	attempt_all(told, "/etc/hostname", "/etc/hostname");
	if (attempt_memory(MAP_SHARED | MAP_ANONYMOUS))
		strcat(done, "shared-memory ");
	return reply(r, r->task, done);
}

/* Whatever its descriptors are, they get packets as the loader, the server or another worker might
 * send them. */
static int send_all(const struct crew_request *r)
{
	static const uint32_t packets[][8] = {{0}, {1}, {1, 2, 3, 4, 5, 6, 7, 8}, {9, 9, 9}};
	struct stat st;
	int sockets = 0;

	for (int fd = 3; fd < 1024; fd++) {
		if (fd == r->out_fd || fstat(fd, &st) || !S_ISSOCK(st.st_mode))
			continue;
		sockets++;
		for (size_t i = 0; i < sizeof(packets) / sizeof(*packets); i++)
			(void)!write(fd, packets[i], 4 + 4 * i);
	}
	return reply(r, r->task, sockets == 1 ? "one socket" : "more than its socket");
}

static int fill(const struct crew_request *r)
{
	static char block[65536];
	size_t n = 0;

	while (n < 1ul << 30 && write(r->out_fd, block, sizeof(block)) == sizeof(block))
		n += sizeof(block);
	_exit(n < 16ul << 20 ? 0 : 77);
}

static void sleep_for_ever(void)
{
	static uint32_t never;

	for (;;)
		syscall(SYS_futex, &never, 0, 0, NULL, NULL, 0);
}

/* What it does is the first byte of what it was sent. */
static int obey(void *begun, const struct crew_request *r)
{
	switch (*(const char *)r->bytes) {
	case 'c':
		*(volatile int *)8 = 0;
		return 0;
	case 'x':
		_exit(0);
	case 'o': /* answers for others, and garbage for itself */
		for (uint32_t i = 0; i < 64; i++)
			if (i != r->task)
				(void)reply(r, i, "forged");
		return file_put(r->out_fd, "garbage", 8);
	case 's':
		return send_all(r);
	case 'f':
		return fill(r);
	case 'e':
		return escape(r);
	case 'h':
		sleep_for_ever();
		return 0;
	case 'l':
		for (volatile unsigned i = 0;; i++)
			;
	case 'm':
		return reply(r, r->task, secret[0] ? "knows the secret" : "knows nothing");
	case 'b':
		return reply(r, r->task, begun ? begun : "nothing common");
	default:
		return reply(r, r->task, "good");
	}
}

static void *begin(const void *bytes, size_t n)
{
	return mem_strndup(bytes, n);
}

static const struct crew_service service = {.begin = begin, .run = obey};

/* --- in the loader -----------------------------------------------------------------------------
 */

struct job {
	const char *what; /* a letter a task */
	struct crew_task *tasks;
	struct reply last;
	char (*texts)[1024];
};

static void ask(void *context, size_t task, struct crew_ask *a)
{
	const struct job *j = context;

	str_addc(&a->bytes, j->what[task]);
}

static size_t read_reply(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct job *j = context;

	if (n < sizeof(j->last))
		return 0;
	memcpy(&j->last, bytes, sizeof(j->last));
	*task = j->last.task;
	return j->last.check == ~j->last.task ? sizeof(j->last) : 0;
}

static bool take(void *context, size_t task)
{
	struct job *j = context;

	memcpy(j->texts[task], j->last.text, sizeof(j->last.text) - 1);
	return true;
}

static struct allowance *allowance;

static void run(struct job *j, const char *what, const struct crew_wait *wait, bool *given_up)
{
	const size_t n = strlen(what);
	struct crew c = {.service = &service,
			 .n = n,
			 .ask = ask,
			 .read = read_reply,
			 .take = take,
			 .context = j,
			 .wait = wait,
			 .allowance = allowance};

	*j = (struct job){.what = what, .tasks = mem_zalloc(n, sizeof(*j->tasks))};
	j->texts = mem_zalloc(n, sizeof(*j->texts));
	c.tasks = j->tasks;
	str_add(&c.common, "common");
	for (size_t i = 0; i < n; i++)
		j->tasks[i] = (struct crew_task){.cost = i, .cpu_s = 1, .user = (uint32_t)i % 2};
	for (size_t i = 0; i < n; i++)
		j->tasks[i].owner = j->tasks[i].user;
	crew_run(&c);
	str_release(&c.common);
	if (given_up)
		*given_up = c.given_up;
}

static void end(struct job *j)
{
	free(j->tasks);
	free(j->texts);
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* @culprits: letters of tasks that must be lost; all others must be done. */
static void only_lost(const struct job *j, const char *culprits)
{
	for (size_t i = 0; j->what[i]; i++) {
		const bool lost = strchr(culprits, j->what[i]) != NULL;

		if (j->tasks[i].done == lost || j->tasks[i].failed != lost)
			fail_msg("task %zu, '%c', of '%s'", i, j->what[i], j->what);
	}
}

static void only_the_culprit_is_lost(void **state)
{
	struct job j;

	(void)state;
	run(&j, "ggcggxggoggfggggc", NULL, NULL);
	only_lost(&j, "cxof");
	for (size_t i = 0; j.what[i]; i++)
		if (j.what[i] == 'g')
			assert_string_equal(j.texts[i], "good");
	end(&j);
}

static void workers_know_their_task_alone(void **state)
{
	struct job j;

	(void)state;
	strcpy(secret, "hunter2");
	run(&j, "mbs", NULL, NULL);
	assert_string_equal(j.texts[0], "knows nothing");
	assert_string_equal(j.texts[1], "common");
	/* What it sent was not believed, so that its answer is not taken either. */
	assert_true(!j.tasks[2].done || !strcmp(j.texts[2], "one socket"));
	end(&j);
}

static void taken_over_it_can_only_compute(void **state)
{
	struct job j;

	(void)state;
	run(&j, "eg", NULL, NULL);
	only_lost(&j, "");
	assert_string_equal(j.texts[0], "");
	end(&j);
}

/* Asleep, and at work: each has its limit, and keeps no other from being done. */
static void endless_work_ends(void **state)
{
	const int64_t began = now_ms();
	struct job j;

	(void)state;
	run(&j, "hlggggg", NULL, NULL);
	only_lost(&j, "hl");
	assert_true(j.tasks[0].ran_out && j.tasks[1].ran_out);
	assert_in_range(now_ms() - began, 0, 30000);
	end(&j);
}

static bool until(void *context)
{
	return now_ms() < *(const int64_t *)context;
}

static void nobody_waits_beyond_the_limit(void **state)
{
	const int64_t began = now_ms();
	int64_t limit = began + 300;
	const struct crew_wait wait = {until, &limit};
	bool given_up;
	struct job j;

	(void)state;
	run(&j, "hhhhhhhh", &wait, &given_up);
	assert_true(given_up);
	for (size_t i = 0; i < 8; i++)
		assert_false(j.tasks[i].done || j.tasks[i].failed);
	assert_in_range(now_ms() - began, 0, 10000);
	end(&j);
}

/* Honest users come to their turn beside one with a hundred files that never end. */
static void time_is_shared_by_user(void **state)
{
	char what[121];
	int64_t limit;
	const struct crew_wait wait = {until, &limit};
	struct job j;

	(void)state;
	for (size_t i = 0; i < 120; i++)
		what[i] = i % 2 ? 'l' : 'g';
	what[120] = 0;
	limit = now_ms() + 4000;
	run(&j, what, &wait, NULL);
	for (size_t i = 0; i < 120; i += 2)
		assert_true(j.tasks[i].done);
	end(&j);
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Of a user whose files took all there was, the first ones have had their slice, and the others
 * nothing, now and later; root's have what they need. */
static void a_users_files_take_no_longer_than_they_may(void **state)
{
	static const struct allowance_rates rates = {{500000000, 0}, {INT64_C(100000000000), 0}};
	const int64_t began = now_ms();
	struct job j;

	(void)state;
	allowance = allowance_new(now_ns, &rates);
	run(&j, "glglglglglglglglglglglglglglglgl", NULL, NULL);
	only_lost(&j, "l");
	for (size_t i = 1; i < strlen(j.what); i += 2)
		assert_true(j.tasks[i].refused);
	end(&j);
	run(&j, "gg", NULL, NULL);
	assert_true(j.tasks[0].done);
	assert_true(j.tasks[1].refused);
	end(&j);
	/* 16 of 1 s each, and a second try of each, would take 16 s on two CPUs. */
	assert_in_range(now_ms() - began, 1000, 8000);
	allowance_free(allowance);
	allowance = NULL;
}

/* A worker that hangs, a server that hangs: the loader goes on without names. Last: no other server
 * is started. */
static void a_server_that_is_gone_ends_nothing_else(void **state)
{
	struct job j;

	(void)state;
	crew_server_give_up();
	run(&j, "gg", NULL, NULL);
	only_lost(&j, "g");
	end(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_culprit_is_lost),
		cmocka_unit_test(workers_know_their_task_alone),
		cmocka_unit_test(taken_over_it_can_only_compute),
		cmocka_unit_test(endless_work_ends),
		cmocka_unit_test(nobody_waits_beyond_the_limit),
		cmocka_unit_test(time_is_shared_by_user),
		cmocka_unit_test(a_users_files_take_no_longer_than_they_may),
		cmocka_unit_test(a_server_that_is_gone_ends_nothing_else),
	};

	if (crew_server_start())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
