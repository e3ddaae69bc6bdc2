/* What the dynamic linker will load, foretold; against what it has loaded into this very process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/needed.h"
#include "process/closure.h"

static int has(const closure *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->at[i].path, path))
			return 1;
	return 0;
}

/* Every shared library that is mapped executable here and that the program is linked against. */
static void test_it_is_what_the_linker_loads(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char self[PATH_MAX] = "", line[PATH_MAX + 128];
	closure c = {0};
	int seen = 0;

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	closure_search_program(-1, self, NULL, &c);
	assert_true(c.n > 2);
	assert_string_equal(c.at[0].path, self);
	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (!path || !strstr(line, " r-xp ") || !strstr(path, ".so"))
			continue;
		assert_true(has(&c, path));
		seen++;
	}
	assert_true(seen > 2);
	fclose(maps);
	closure_release(&c);
}

/* What a wrapper has set counts, not what this process was given. */
static void test_a_process_has_its_own_environment(void **state)
{
	char first[] = "A=b", second[] = "LD_PRELOAD=libm.so.6";

	(void)state;
	for (int has_it = 0; has_it < 2; has_it++) {
		char *const variables[] = {first, has_it ? second : NULL, NULL};
		closure c = {0};
		char unused;
		int ends[2];
		pid_t pid;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		pid = fork();
		if (!pid) {
			execle("/bin/sleep", "sleep", "1000", NULL, variables);
			_exit(1);
		}
		close(ends[1]);
		/* It ends when the program runs. */
		assert_int_equal(read(ends[0], &unused, 1), 0);
		close(ends[0]);
		closure_search_process(-1, (uint32_t)pid, NULL, &c);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		assert_true(c.n > 1);
		assert_int_equal(strstr(c.at[1].path, "/libm.so.6") != NULL, has_it);
		closure_release(&c);
	}
}

static void test_a_command_is_searched_for(void **state)
{
	closure c = {0};

	(void)state;
	closure_of_command(NULL, "sh", &c);
	assert_true(c.n >= 2);
	closure_release(&c);
	closure_of_command(NULL, "no-such-command-anywhere", &c);
	assert_int_equal(c.n, 0);
}

static void count_library(void *context, const char *path)
{
	int *n = context;

	*n += !strcmp(path, "/lib/x86_64-linux-gnu/libc.so.6");
}

static void test_a_library_is_found_by_its_name(void **state)
{
	_free_ char *path = closure_library(NULL, "libc.so.6"),
		    *none = closure_library(NULL, "libnosuch.so.1");
	int n = 0;

	(void)state;
	assert_string_equal(path, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	assert_null(none);
	closure_each_library(NULL, count_library, &n);
	assert_int_equal(n, 1);
}

static void write_file(char *path, const void *data, size_t n)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
}

static void test_a_script_is_its_interpreter(void **state)
{
	char path[] = "/tmp/eprof-closure-XXXXXX", real[PATH_MAX];
	static const char text[] = "#! /bin/sh -e\necho\n";
	closure c = {0};

	(void)state;
	write_file(path, text, sizeof(text) - 1);
	closure_search_program(-1, path, NULL, &c);
	assert_non_null(realpath("/bin/sh", real));
	assert_true(c.n >= 2);
	assert_string_equal(c.at[0].path, real);
	closure_release(&c);
	unlink(path);
}

static void test_a_script_of_no_interpreter_is_the_shells(void **state)
{
	char path[] = "/tmp/eprof-closure-XXXXXX", real[PATH_MAX];
	closure c = {0};

	(void)state;
	write_file(path, "echo\n", 5);
	assert_int_equal(chmod(path, 0700), 0);
	closure_of_command(NULL, path, &c);
	assert_non_null(realpath("/bin/sh", real));
	assert_true(c.n >= 2);
	assert_string_equal(c.at[0].path, real);
	closure_release(&c);
	unlink(path);
}

/* Below another root: paths are as seen from there. */
static void test_another_root(void **state)
{
	char dir[] = "/tmp/eprof-root-XXXXXX", command[PATH_MAX];
	closure c = {0};
	int root;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "cd %s && cp /bin/true program && ln -s usr/lib lib && ln -s usr/lib64 lib64 && "
		 "mkdir -p usr/lib/x86_64-linux-gnu usr/lib64 && "
		 "cp /lib/x86_64-linux-gnu/libc.so.6 usr/lib/x86_64-linux-gnu/ && "
		 "cp /lib64/ld-linux-x86-64.so.2 usr/lib64/",
		 dir);
	assert_int_equal(system(command), 0);
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	closure_search_program(root, "/program", NULL, &c);
	assert_int_equal(c.n, 3);
	assert_string_equal(c.at[0].path, "/program");
	assert_true(has(&c, "/usr/lib/x86_64-linux-gnu/libc.so.6"));
	assert_true(has(&c, "/usr/lib64/ld-linux-x86-64.so.2"));
	closure_release(&c);
	/* Links lead nowhere else. */
	closure_search_program(root, "/../../bin/true", NULL, &c);
	assert_int_equal(c.n, 0);
	close(root);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* The highest level that the dynamic linker itself says it takes, 1: none but the plain one. */
static int level_of_linker(void)
{
	FILE *help = popen("/lib64/ld-linux-x86-64.so.2 --help", "r");
	char line[256];
	int level = 1, n;

	assert_non_null(help);
	while (fgets(line, sizeof(line), help))
		if (sscanf(line, " x86-64-v%d", &n) == 1 && strstr(line, "supported") && n > level)
			level = n;
	pclose(help);
	return level;
}

/* A root in @dir, with a C library of each level in /opt, and a program that needs it. */
static void make_levels(char *dir)
{
	char command[PATH_MAX];

	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "cd %s && cp /bin/true program && mkdir opt opt/glibc-hwcaps etc && "
		 "cp -L /lib/x86_64-linux-gnu/libc.so.6 opt/ && for v in 2 3 4 9; do "
		 "mkdir opt/glibc-hwcaps/x86-64-v$v && cp opt/libc.so.6 "
		 "opt/glibc-hwcaps/x86-64-v$v; "
		 "done",
		 dir);
	assert_int_equal(system(command), 0);
}

static void expect_level(const char *dir, bool cached)
{
	char expected[PATH_MAX];
	closure c = {0};
	int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), level = level_of_linker();

	assert_true(root >= 0);
	closure_search_program(root, "/program", NULL, &c);
	snprintf(expected, sizeof(expected), "%s/glibc-hwcaps/x86-64-v%d/libc.so.6",
		 cached ? "/opt" : "/usr/lib", level);
	if (level == 1)
		snprintf(expected, sizeof(expected), "%s/libc.so.6", cached ? "/opt" : "/usr/lib");
	assert_int_equal(c.n, 2);
	assert_string_equal(c.at[1].path, expected);
	closure_release(&c);
	close(root);
}

static void remove_all(const char *dir)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Of a library that is there for several processors it is the one that the linker takes. */
static void test_levels_in_a_folder(void **state)
{
	char dir[] = "/tmp/eprof-root-XXXXXX", command[PATH_MAX];

	(void)state;
	make_levels(dir);
	snprintf(command, sizeof(command), "cd %s && mkdir usr && mv opt usr/lib", dir);
	assert_int_equal(system(command), 0);
	expect_level(dir, false);
	remove_all(dir);
}

/* The cache has paths as our root shows them: a link makes them right below the other. */
static void test_levels_in_the_cache(void **state)
{
	char dir[] = "/tmp/eprof-root-XXXXXX", command[PATH_MAX];

	(void)state;
	make_levels(dir);
	snprintf(command, sizeof(command),
		 "cd %s && echo %s/opt >etc/conf && mkdir tmp && ln -s / %s%s && "
		 "/sbin/ldconfig -X -i -f etc/conf -C etc/ld.so.cache",
		 dir, dir, dir, dir);
	assert_int_equal(system(command), 0);
	expect_level(dir, true);
	remove_all(dir);
}

/* Each byte of the headers and the dynamic section is spoilt in turn: nothing but less is found. */
static void test_spoilt_files_are_no_harm(void **state)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	static uint8_t bytes[1 << 16];
	ssize_t n = read(self, bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(n, sizeof(bytes));
	close(self);
	for (size_t i = 0; i < 1024; i += 3) {
		char path[] = "/tmp/eprof-needed-XXXXXX";
		struct needed needed = {0};
		struct elffile f;
		uint8_t was = bytes[i];
		int fd;

		bytes[i] = (uint8_t)(was ^ 0xff);
		write_file(path, bytes, sizeof(bytes));
		bytes[i] = was;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (!elffile_open(fd, &f)) {
			needed_read(&f, &needed);
			elffile_release(&f);
		}
		needed_release(&needed);
		close(fd);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_what_the_linker_loads),
		cmocka_unit_test(test_a_process_has_its_own_environment),
		cmocka_unit_test(test_a_command_is_searched_for),
		cmocka_unit_test(test_a_script_is_its_interpreter),
		cmocka_unit_test(test_another_root),
		cmocka_unit_test(test_a_library_is_found_by_its_name),
		cmocka_unit_test(test_a_script_of_no_interpreter_is_the_shells),
		cmocka_unit_test(test_levels_in_a_folder),
		cmocka_unit_test(test_levels_in_the_cache),
		cmocka_unit_test(test_spoilt_files_are_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
