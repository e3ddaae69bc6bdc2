/* as_owner, in_child: what reads a foreign file crashes, in a child: one line, the process goes on.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "cmd/as_owner.h"
#include "cmd/in_child.h"
#include "temp_folder.h"

static int end_by(const char *path, const void *arg)
{
	const int *number = arg;

	(void)path;
	signal(*number, SIG_DFL);
	raise(*number);
	return 0;
}

static int refuse(const char *path, const void *arg)
{
	(void)arg;
	return err(-EINVAL, "'%s' is refused", path);
}

static int no_core(const char *path, const void *arg)
{
	struct rlimit core, cpu;

	(void)path;
	(void)arg;
	getrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_CPU, &cpu);
	return core.rlim_cur == 0 && cpu.rlim_cur < 1000 ? 0 : err(-EPERM, "not limited");
}

static void make(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fclose(f);
}

static void a_crash_is_told(void **state)
{
	static const struct {
		int number;
		const char *text;
	} ways[] = {{SIGSEGV, "crashed (segmentation fault)"},
		    {SIGABRT, "crashed (aborted)"},
		    {SIGXCPU, "took too much CPU time"},
		    {SIGKILL, "was ended by a signal"}};
	char text[256];

	(void)state;
	make("a.h5");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		assert_int_equal(cmd_as_owner("a.h5", end_by, &ways[i].number), -EIO);
		snprintf(text, sizeof(text), "'a.h5' is damaged: reading it %s", ways[i].text);
		assert_string_equal(err_text(), text);
	}
}

static void an_answer_comes_back(void **state)
{
	(void)state;
	make("a.h5");
	assert_int_equal(cmd_as_owner("a.h5", refuse, NULL), -EINVAL);
	assert_string_equal(err_text(), "'a.h5' is refused");
	assert_int_equal(cmd_as_owner("a.h5", no_core, NULL), 0);
}

static int ends_by(const void *arg)
{
	return end_by("", arg);
}

static int seven(const void *arg)
{
	(void)arg;
	return 7;
}

static void in_child(void **state)
{
	const int number = SIGSEGV;

	(void)state;
	assert_int_equal(cmd_in_child("b.h5", seven, NULL), 7);
	assert_int_equal(cmd_in_child("b.h5", ends_by, &number), -EIO);
	assert_string_equal(err_text(),
			    "'b.h5' is damaged: reading it crashed (segmentation fault); "
			    "it is left as it was");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_is_told),
		cmocka_unit_test(an_answer_comes_back),
		cmocka_unit_test(in_child),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
