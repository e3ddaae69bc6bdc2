/* Which programs are translators, and what they read while they run. */
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "probe/guard.h"

#define NOBODY 0x7ffffff0 /* above the highest pid */

static void no_watch(void *context, int fd)
{
	(void)fd;
	++*(int *)context;
}

static void test_names(void **state)
{
	static const char *const is[] = {"/usr/libexec/valgrind/memcheck-amd64-linux",
					 "/usr/bin/valgrind.bin", "valgrind",
					 "/opt/v/none-amd64-linux (deleted)"};
	static const char *const is_not[] = {"/usr/bin/valgrind-listener", "/usr/bin/vgdb",
					     "/valgrind/ls", "", "/usr/bin/valgrind (old)"};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++)
		assert_string_equal(guard_translator_name(guard_translator_of(is[i])), "valgrind");
	for (size_t i = 0; i < sizeof(is_not) / sizeof(*is_not); i++)
		assert_int_equal(guard_translator_of(is_not[i]), -1);
	assert_string_equal(guard_translator_name(guard_translator_of("/bin/qemu-x86_64")),
			    "QEMU's user mode");
}

static uint64_t own_inode(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	return st.st_ino;
}

/* Whoever has just begun may read anything; later libraries, and what it maps. */
static void test_what_is_read(void **state)
{
	const int valgrind = guard_translator_of("valgrind");
	int watched = 0;
	struct guard *g = guard_new(NULL, no_watch, &watched);
	const struct guard_start start = {.pid = NOBODY, .translator = valgrind};
	const struct guard_reader *r;

	(void)state;
	assert_null(guard_reader(g, 1, false, 0));
	assert_true(guard_started(g, &start));
	r = guard_reader(g, 1, true, 0);
	assert_non_null(r);
	assert_int_equal(r->pid, NOBODY);
	assert_int_equal(r->translator, valgrind);
	/* Probes for one process alone are in no other's way. */
	assert_non_null(guard_reader(g, 1, false, NOBODY));
	assert_null(guard_reader(g, 1, false, NOBODY - 1));
	assert_true(guard_born(g, NOBODY, NOBODY + 1));
	assert_false(guard_born(g, NOBODY, NOBODY + 1));
	assert_false(guard_born(g, 1, NOBODY + 2));
	assert_non_null(guard_reader(g, 1, false, NOBODY + 1));
	/* They are gone: the kernel has no such process. */
	assert_true(guard_tick(g));
	assert_null(guard_reader(g, 1, false, 0));
	assert_false(guard_tick(g));
	guard_free(g);
	guard_free(NULL);
}

/* A program under the name of a translator, which reads itself. */
static void test_one_that_runs(void **state)
{
	char dir[] = "/tmp/eprof-guard-XXXXXX", command[PATH_MAX];
	const struct guard_reader *r;
	struct stat st;
	struct guard *g;
	int watched = 0;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "cp -L /bin/sleep %s/drrun", dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/drrun", dir);
	assert_int_equal(stat(command, &st), 0);
	pid = fork();
	if (!pid) {
		execl(command, "drrun", "100", (char *)NULL);
		_exit(1);
	}
	g = guard_new(NULL, no_watch, &watched);
	/* Until the child runs the other program. */
	for (int i = 0; i < 1000 && !guard_exec(g, (uint32_t)pid, clock_ns(CLOCK_MONOTONIC)); i++)
		usleep(10000);
	assert_int_equal(watched, 1);
	guard_free(g);

	g = guard_new(NULL, no_watch, &watched);
	guard_begin(g);
	assert_true(watched >= 2);
	r = guard_reader(g, st.st_ino, true, (uint32_t)pid);
	assert_non_null(r);
	assert_string_equal(guard_translator_name(r->translator), "DynamoRIO");
	/* It ran before, so that it has mapped what it translates. */
	assert_null(guard_reader(g, own_inode(), true, (uint32_t)pid));
	assert_non_null(guard_reader(g, own_inode(), false, (uint32_t)pid));
	assert_true(guard_exit(g, (uint32_t)pid, clock_ns(CLOCK_MONOTONIC)));
	assert_null(guard_reader(g, st.st_ino, true, (uint32_t)pid));
	guard_free(g);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Anybody's program under the name of a translator is none. One that makes code is. */
static void test_a_name_alone(void **state)
{
	char dir[] = "/tmp/eprof-guard-XXXXXX", command[PATH_MAX];
	struct guard *g;
	int watched = 0;
	struct stat st;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "cp -L /bin/sleep %s/box64 && chmod 777 %s/box64", dir,
		 dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/box64", dir);
	assert_int_equal(stat(command, &st), 0);
	pid = fork();
	if (!pid) {
		execl(command, "box64", "100", (char *)NULL);
		_exit(1);
	}
	g = guard_new(NULL, no_watch, &watched);
	for (int i = 0; i < 50; i++) {
		assert_false(guard_exec(g, (uint32_t)pid, clock_ns(CLOCK_MONOTONIC)));
		assert_null(guard_reader(g, st.st_ino, false, 0));
		usleep(10000);
	}
	assert_int_equal(watched, 0);
	assert_true(guard_tick(g));
	assert_null(guard_reader(g, st.st_ino, false, 0));
	assert_true(guard_exit(g, (uint32_t)pid, clock_ns(CLOCK_MONOTONIC)));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	/* This one: a child, which runs what was built here. */
	snprintf(command, sizeof(command),
		 "cp -L /proc/%d/exe %s/new && mv %s/new %s/box64 && chmod 777 %s/box64", getpid(),
		 dir, dir, dir, dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/box64", dir);
	pid = fork();
	if (!pid) {
		execl(command, "box64", "--make-code", (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < 1000 && !guard_reader(g, 1, false, 0); i++) {
		(void)guard_exec(g, (uint32_t)pid, clock_ns(CLOCK_MONOTONIC));
		(void)guard_tick(g);
		usleep(10000);
	}
	assert_non_null(guard_reader(g, 1, false, 0));
	guard_free(g);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* What is told late of a process from before its start was held is not about what it is now. */
static void test_late_news(void **state)
{
	int watched = 0;
	struct guard *g = guard_new(NULL, no_watch, &watched);
	const struct guard_start start = {
		.time_ns = 1000, .pid = (uint32_t)getpid(), .translator = 0};

	(void)state;
	assert_true(guard_started(g, &start));
	assert_false(guard_exec(g, start.pid, 999));
	assert_false(guard_exit(g, start.pid, 999));
	assert_non_null(guard_reader(g, 1, false, start.pid));
	/* And what it runs by now is no translator. */
	assert_true(guard_exec(g, start.pid, 1001));
	assert_null(guard_reader(g, 1, false, start.pid));
	guard_free(g);
}

/* What a translator does: executable memory that is of no file. */
static int make_code(void)
{
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	    MAP_FAILED)
		return 1;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--make-code"))
		return make_code();

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_what_is_read),
		cmocka_unit_test(test_one_that_runs), cmocka_unit_test(test_a_name_alone),
		cmocka_unit_test(test_late_news),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
