/* base/file: files that are whole or not there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "temp_folder.h"

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static void assert_holds(const char *path, const char *expected)
{
	char *text;
	size_t n;

	assert_int_equal(file_read(path, 1000, &text, &n), 0);
	assert_string_equal(text, expected);
	assert_int_equal(n, strlen(expected));
	free(text);
}

static void reads(void **state)
{
	char *text;
	size_t n;

	(void)state;
	put("f", "12345");
	assert_holds("f", "12345");
	assert_int_equal(file_read("f", 5, &text, &n), 0);
	free(text);
	assert_int_equal(file_read("f", 4, &text, &n), -EFBIG);
	assert_int_equal(file_read("none", 4, &text, &n), -ENOENT);
	assert_string_equal(err_text(), "cannot open 'none': No such file or directory");
	assert_int_equal(file_read(".", 4, &text, &n), -EISDIR);
	assert_int_equal(file_read("/proc/self/stat", 100000, &text, &n), 0);
	assert_true(n > 20 && strlen(text) == n);
	free(text);
	assert_int_equal(file_read("/dev/zero", 100000, &text, &n), -EFBIG);
}

static void appears_when_whole(void **state)
{
	struct file_new f;

	(void)state;
	assert_int_equal(file_begin(&f, "out", false), 0);
	assert_int_equal(file_write(&f, "abc", 3), 0);
	assert_int_equal(access("out", F_OK), -1);
	assert_int_equal(file_commit(&f), 0);
	assert_holds("out", "abc");
	assert_int_equal(count_files(), 1);
	file_drop(&f);
	assert_holds("out", "abc");
}

static void drops_without_a_trace(void **state)
{
	struct file_new f;

	(void)state;
	put("out", "old");
	assert_int_equal(file_begin(&f, "out", true), 0);
	assert_int_equal(file_write(&f, "new", 3), 0);
	file_drop(&f);
	assert_holds("out", "old");
	assert_int_equal(count_files(), 1);
	file_drop(&f);
}

static void overwrites_by_force_only(void **state)
{
	struct file_new f;

	(void)state;
	put("out", "old");
	assert_int_equal(file_begin(&f, "out", false), -EEXIST);
	assert_non_null(strstr(err_text(), "--force"));
	assert_int_equal(file_begin(&f, "out", true), 0);
	assert_int_equal(file_write(&f, "new", 3), 0);
	assert_int_equal(file_commit(&f), 0);
	assert_holds("out", "new");
}

static void does_not_overwrite_a_late_comer(void **state)
{
	struct file_new f;

	(void)state;
	assert_int_equal(file_begin(&f, "out", false), 0);
	put("out", "theirs");
	assert_int_equal(file_commit(&f), -EEXIST);
	assert_holds("out", "theirs");
	assert_int_equal(count_files(), 1);
}

static void refuses_what_is_no_place(void **state)
{
	(void)state;
	assert_int_equal(file_check_new("", false), -EINVAL);
	assert_int_equal(file_check_new("no/where", false), -ENOENT);
	assert_int_equal(file_check_new(".", true), -EISDIR);
	assert_int_equal(file_check_new("x/", true), -EINVAL);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(file_check_new("pipe", true), -EEXIST);
	assert_int_equal(symlink("pipe", "link"), 0);
	assert_int_equal(file_check_new("link", true), -EEXIST);
	put("plain", "");
	assert_int_equal(file_check_new("plain/x", true), -ENOTDIR);
	assert_int_equal(mkdir("locked", 0500), 0);
	if (geteuid())
		assert_int_equal(file_check_new("locked/x", false), -EACCES);
	assert_int_equal(file_check_new("fine", false), 0);
}

static void tells_of_a_full_disk(void **state)
{
	const struct rlimit small = {1000, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
	char data[5000] = {0};
	struct file_new f;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(file_begin(&f, "out", false), 0);
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(file_write(&f, data, sizeof(data)), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &none);
	assert_string_equal(err_text(), "cannot write 'out': File too large");
	file_drop(&f);
	assert_int_equal(count_files(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(reads),
		IN_FOLDER(appears_when_whole),
		IN_FOLDER(drops_without_a_trace),
		IN_FOLDER(overwrites_by_force_only),
		IN_FOLDER(does_not_overwrite_a_late_comer),
		IN_FOLDER(refuses_what_is_no_place),
		IN_FOLDER(tells_of_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
