/* A child is waited for no longer than was said, whatever it does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"

#define HOUR_MS 3600000
#define NOBODY	65534

static pid_t start_pausing(void)
{
	const pid_t child = child_fork();

	assert_true(child >= 0);
	while (!child)
		pause();
	return child;
}

static void one_that_ends_is_reaped(void **state)
{
	struct rusage usage = {0};
	int status = 0;
	pid_t child = child_fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 20000000)
			;
		_exit(7);
	}
	assert_int_equal(child_await(child, HOUR_MS, &status, &usage), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_true(clock_of_usage(&usage) > 0);
	assert_int_equal(waitpid(child, NULL, WNOHANG), -1);
	/* Nor is another waited for, or killed, that has its number. */
	assert_int_equal(child_await(child, 0, NULL, NULL), -ECHILD);
}

static void one_that_goes_on_is_killed(void **state)
{
	const pid_t child = start_pausing();
	int status = 0;

	(void)state;
	assert_int_equal(child_await(child, 10, &status, NULL), 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void one_that_is_stopped_is_killed(void **state)
{
	const pid_t child = start_pausing();
	int status = 0;

	(void)state;
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(child_await(child, 0, &status, NULL), 0);
	assert_true(WIFSIGNALED(status));
}

/* One of another user's stands for one that the kernel holds: SIGKILL does not end it. */
static void one_that_cannot_be_killed_is_left(void **state)
{
	int status = 0;
	pid_t middle;

	(void)state;
	if (geteuid())
		skip();
	middle = child_fork();
	assert_true(middle >= 0);
	if (!middle) {
		const pid_t child = start_pausing();
		int rc;

		if (setresuid(NOBODY, NOBODY, 0))
			_exit(2);
		rc = child_await(child, 0, NULL, NULL);
		/* It would outlive this one. */
		if (seteuid(0) || kill(child, SIGKILL))
			_exit(3);
		_exit(rc == -ETIMEDOUT ? 0 : 1);
	}
	assert_int_equal(child_await(middle, HOUR_MS, &status, NULL), 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_ends_is_reaped),
		cmocka_unit_test(one_that_goes_on_is_killed),
		cmocka_unit_test(one_that_is_stopped_is_killed),
		cmocka_unit_test(one_that_cannot_be_killed_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
