/* The CPU time of a target, of each kind: against the clock of a thread that is known to have used
 * it, and a cgroup's file that is written here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "load/ran.h"
#include "temp_folder.h"

#define MS UINT64_C(1000000)

/* This thread works for so long, on a CPU. */
static void work(uint64_t ns)
{
	const uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static void of_a_thread(void **state)
{
	const struct target t = {.kind = TARGET_TID, .tid = (uint32_t)getpid()};
	const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t got;

	(void)state;
	/* What the scheduler has counted may lack its current slice. */
	for (int i = 0; i < 100 && ran_by_proc_ns(&t, NULL, 0) < before; i++)
		work(10 * MS);
	got = ran_by_proc_ns(&t, NULL, 0);
	assert_in_range(got, before, clock_ns(CLOCK_THREAD_CPUTIME_ID) + MS);
}

/* Children that it has waited for count; one that has ended has no time of its own. */
static void of_processes(void **state)
{
	const struct target t = {.kind = TARGET_PIDS};
	const uint32_t self = (uint32_t)getpid();
	const uint64_t before = ran_by_proc_ns(&t, &self, 1);
	uint32_t pids[] = {self, 0};
	uint64_t after;

	(void)state;
	assert_true(before > 0);
	pids[1] = (uint32_t)fork();
	if (!pids[1]) {
		work(200 * MS);
		_exit(0);
	}
	assert_int_equal(waitpid((pid_t)pids[1], NULL, 0), pids[1]);
	after = ran_by_proc_ns(&t, pids, 2);
	/* In ticks, each of 10 ms at most. */
	assert_in_range(after - before, 180 * MS, 2000 * MS);
	assert_int_equal(ran_by_proc_ns(&t, pids + 1, 1), 0);
}

static void of_the_machine(void **state)
{
	const struct target t = {.kind = TARGET_ALL};
	const uint64_t before = ran_by_proc_ns(&t, NULL, 0);

	(void)state;
	work(100 * MS);
	assert_true(ran_by_proc_ns(&t, NULL, 0) >= before + 80 * MS);
}

static void of_a_cgroup(void **state)
{
	struct target t = {.kind = TARGET_CGROUP, .cgroup_fd = -1};
	FILE *f;

	(void)state;
	assert_int_equal(ran_by_proc_ns(&t, NULL, 0), 0);
	t.cgroup_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(ran_by_proc_ns(&t, NULL, 0), 0);
	f = fopen("cpu.stat", "we");
	fputs("usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n", f);
	fclose(f);
	assert_int_equal(ran_by_proc_ns(&t, NULL, 0), UINT64_C(1234567000));
	/* One without the cpu controller's figures. */
	f = fopen("cpu.stat", "we");
	fputs("nr_periods 5\n", f);
	fclose(f);
	assert_int_equal(ran_by_proc_ns(&t, NULL, 0), 0);
	close(t.cgroup_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_thread),
		cmocka_unit_test(of_processes),
		cmocka_unit_test(of_the_machine),
		cmocka_unit_test_setup_teardown(of_a_cgroup, enter_folder, leave_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
