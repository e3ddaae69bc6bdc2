/* The report command as a user calls it: each call in a process of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "cmd/command.h"
#include "store/store.h"

#include "sample_profile.h"

#define MAX_OUTPUT (1 << 20)

struct result {
	int status;
	char *out, *err; /* owned */
};

static char folder[] = "/tmp/eprof-test-XXXXXX";

static void redirect(const char *path, int to)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(99);
	close(fd);
}

/* Runs `report ARG…` in the test's folder; the arguments end with NULL. */
static struct result run(const char *const *args)
{
	struct result r = {0};
	char *argv[16] = {(char *)"report"};
	int argc = 1, status;
	size_t n;
	pid_t pid;

	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)args[argc - 1];
	pid = fork();
	if (!pid) {
		redirect("out", STDOUT_FILENO);
		redirect("err", STDERR_FILENO);
		status = render_report(argc, argv);
		fflush(stdout);
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	r.status = WEXITSTATUS(status);
	assert_int_equal(file_read("out", MAX_OUTPUT, &r.out, &n), 0);
	assert_int_equal(file_read("err", MAX_OUTPUT, &r.err, &n), 0);
	return r;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void result_release(struct result *r)
{
	free(r->out);
	free(r->err);
}

/* One line on stderr that holds @words, nothing on stdout. */
static void assert_refused(struct result r, int status, const char *words)
{
	if (!strstr(r.err, words))
		fail_msg("'%s' is not in '%s'", words, r.err);
	assert_int_equal(r.status, status);
	assert_string_equal(r.out, "");
	assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
	result_release(&r);
}

static int make_folder(void **state)
{
	struct profile *p = sample_profile();
	int rc;

	(void)state;
	unsetenv("COLUMNS");
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	rc = store_save("good.h5", false, p);
	profile_free(p);
	return rc;
}

static int remove_folder(void **state)
{
	(void)state;
	for (const char *const *name = (const char *const[]){"good.h5", "out", "err", "r.txt",
							     "r.svg", "bad.h5", NULL};
	     *name; name++)
		unlink(*name);
	return chdir("/") || rmdir(folder);
}

static void test_summary_in_a_pipe(void **state)
{
	struct result r = RUN("good.h5");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	assert_non_null(strstr(r.out, "\nTop functions  100 % = 10.0 s of time on CPU, 1,000 "
				      "samples of cpu-clock\n"));
	assert_non_null(strstr(r.out, "\n! Samples   1,000 kept, lost 19 of 1,019 (1.9 %): "));
	assert_non_null(strstr(r.out, "\nLedger  "));
	assert_null(strchr(r.out, '\033'));
	result_release(&r);
}

static void test_colour_when_forced(void **state)
{
	struct result r = RUN("good.h5", "--colour", "always");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_non_null(strchr(r.out, '\033'));
	result_release(&r);
}

/* What the report writes to a terminal of @columns; freed by the caller. */
static char *on_terminal(unsigned short columns)
{
	struct winsize size = {.ws_row = 50, .ws_col = columns};
	const char *argv[] = {"report", "good.h5", NULL};
	struct str text = {0};
	char buf[4096];
	int ours, theirs;
	ssize_t n;

	assert_int_equal(openpty(&ours, &theirs, NULL, NULL, &size), 0);
	if (!fork()) {
		dup2(theirs, STDOUT_FILENO);
		_exit(render_report(2, (char **)argv) || fflush(stdout));
	}
	close(theirs);
	while ((n = read(ours, buf, sizeof(buf))) > 0)
		str_addn(&text, buf, (size_t)n);
	close(ours);
	wait(NULL);
	return str_steal(&text);
}

static void test_terminal_sets_width_and_colour(void **state)
{
	_free_ char *plain = NULL;
	_free_ char *coloured = NULL;

	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	plain = on_terminal(70);
	assert_null(strchr(plain, '\033'));
	for (char *rest = plain, *line; (line = strsep(&rest, "\r\n"));)
		assert_in_range(str_width(line), 0, 70);
	unsetenv("NO_COLOR");
	coloured = on_terminal(70);
	assert_non_null(strstr(coloured, "\033[1mTop functions\033[0m"));
}

static void test_views_in_the_order_asked(void **state)
{
	struct result r = RUN("good.h5", "--view", "threads,summary", "-o", "-");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_true(strstr(r.out, "Threads") < strstr(r.out, "Target"));
	assert_null(strstr(r.out, "Top functions"));
	result_release(&r);
}

static void test_file_is_not_overwritten(void **state)
{
	struct result r = RUN("good.h5", "-o", "r.txt");
	struct stat before, after;

	(void)state;
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, "");
	result_release(&r);
	assert_int_equal(stat("r.txt", &before), 0);
	assert_refused(RUN("good.h5", "-o", "r.txt"), 1, "r.txt");
	assert_int_equal(stat("r.txt", &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	r = RUN("good.h5", "-o", "r.txt", "--force");
	assert_int_equal(r.status, 0);
	result_release(&r);
}

static void test_format_by_name_and_by_option(void **state)
{
	struct result r = RUN("good.h5", "--format", "svg");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_memory_equal(r.out, "<svg ", 5);
	result_release(&r);
	r = RUN("good.h5", "-o", "r.svg", "--width", "500");
	assert_int_equal(r.status, 0);
	result_release(&r);
	assert_int_equal(access("r.svg", R_OK), 0);
}

static void test_selection_reaches_the_report(void **state)
{
	struct result r = RUN("good.h5", "--pid", "node", "--view", "functions");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "100 % = 1.50 s of time on CPU, 150 samples of cpu-clock"));
	assert_null(strstr(r.out, "sqlite3BtreeMovetoUnpacked"));
	result_release(&r);
}

static void test_bad_calls(void **state)
{
	FILE *bad = fopen("bad.h5", "w");

	(void)state;
	fputs("not a profile", bad);
	fclose(bad);
	assert_refused(RUN("--force"), 2, "no profile given");
	assert_refused(RUN("a.h5", "b.h5"), 2, "give one FILE only");
	assert_refused(RUN("good.h5", "--width", "7"), 2, "--width");
	assert_refused(RUN("good.h5", "--colour", "red"), 2, "--colour");
	assert_refused(RUN("good.h5", "--from", "-1"), 2, "--from");
	assert_refused(RUN("missing.h5"), 1, "missing.h5");
	assert_refused(RUN("bad.h5"), 1, "bad.h5");
	assert_refused(RUN("good.h5", "-o", "r.doc"), 2, "no format 'doc'");
	assert_refused(RUN("good.h5", "-o", "report"), 2, "does not say which format");
	assert_refused(RUN("good.h5", "-o", "none/r.txt"), 1, "none");
	assert_refused(RUN("good.h5", "--view", "pie"), 2, "no view 'pie'");
	assert_refused(RUN("good.h5", "--view", ""), 2, "no view ''");
	assert_refused(RUN("good.h5", "--metric", "sheep"), 1, "sheep");
	assert_refused(RUN("good.h5", "-o", "r.png", "--view", "zones"), 1, "nothing to draw");
	assert_refused(RUN("good.h5", "-o", "r.png", "--height", "40000"), 1, "32767 pixels high");
	assert_refused(RUN("good.h5", "--paper", "a5"), 2, "--paper is a4 or letter, not 'a5'");
	assert_refused(RUN("good.h5", "--theme", "pink"), 2,
		       "--theme is light or dark, not 'pink'");
	assert_refused(RUN("good.h5", "--rows", "0"), 2, "--rows");
	assert_refused(RUN("good.h5", "--height", "9"), 2, "--height");
	assert_refused(RUN("good.h5", "--percent-limit", "101"), 2, "from 0 to 100, not '101'");
	assert_int_not_equal(access("r.png", F_OK), 0);
}

static void test_full_disk_is_said(void **state)
{
	struct result r;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	unlink("out");
	assert_int_equal(symlink("/dev/full", "out"), 0);
	/* The child's stdout is /dev/full; afterwards the file is an ordinary one again. */
	if (!fork()) {
		const char *argv[] = {"report", "good.h5", NULL};

		redirect("out", STDOUT_FILENO);
		redirect("err", STDERR_FILENO);
		_exit(render_report(2, (char **)argv));
	}
	wait(&r.status);
	unlink("out");
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_int_equal(file_read("err", MAX_OUTPUT, &r.err, &(size_t){0}), 0);
	assert_string_equal(r.err,
			    "eprof-render: cannot write 'stdout': No space left on device\n");
	free(r.err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary_in_a_pipe),
		cmocka_unit_test(test_colour_when_forced),
		cmocka_unit_test(test_terminal_sets_width_and_colour),
		cmocka_unit_test(test_views_in_the_order_asked),
		cmocka_unit_test(test_file_is_not_overwritten),
		cmocka_unit_test(test_format_by_name_and_by_option),
		cmocka_unit_test(test_selection_reaches_the_report),
		cmocka_unit_test(test_bad_calls),
		cmocka_unit_test(test_full_disk_is_said),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
