/* What eprof makes of eprof-render's end: a script stands in for it, beside this program, and does
 * what the first word says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "cmd/render_run.h"

static const char script[] =
	"#!/bin/sh\n"
	"[ \"$1\" = for-eprof ] || exit 9\n"
	"case $2 in\n"
	"says) printf '%s,' \"$@\"; cat " RENDER_FILE " ;;\n"
	"fails) echo 'eprof-render: it is broken' >&2; echo 'more' >&2; exit 1 ;;\n"
	"silent) exit 1 ;;\n"
	"killed) kill -SEGV $$ ;;\n"
	"babbles) exec yes ;;\n"
	"chatters) while :; do echo 'and on it goes, and on it goes' >&2; done ;;\n"
	"hangs) echo $$; exec sleep 1000 ;;\n"
	"esac\n";

static char program[4096];

static int put_script(void **state)
{
	const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 32);
	FILE *f;

	(void)state;
	program[n > 0 ? n : 0] = '\0';
	strcpy(strrchr(program, '/') + 1, RENDER_NAME);
	f = fopen(program, "we");
	return !f || fputs(script, f) < 0 || fclose(f) || chmod(program, 0755);
}

static int remove_script(void **state)
{
	(void)state;
	return unlink(program);
}

static size_t open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Runs it; neither a process nor a descriptor stays. */
static int run(const char *what, int signal_fd, struct str *out)
{
	const char *const words[] = {what, "two words", NULL};
	const size_t before = open_files();
	struct render_file file;
	int rc;

	assert_int_equal(render_file_make(&file, "bytes", 5), 0);
	assert_string_equal(file.path, RENDER_FILE);
	rc = render_run(words, &file, signal_fd, out);
	render_file_close(&file);
	assert_int_equal(open_files(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return rc;
}

static void is_told(const char *what, int rc, const char *text)
{
	assert_int_equal(run(what, RENDER_RUN_ON, NULL), rc);
	assert_string_equal(err_text(), text);
}

static void gets_words_and_bytes(void **state)
{
	struct str out = {0};

	(void)state;
	assert_int_equal(run("says", RENDER_RUN_ON, &out), 0);
	assert_string_equal(str_text(&out), "for-eprof,says,two words,bytes");
	str_release(&out);
}

static void its_end_is_told(void **state)
{
	(void)state;
	is_told("fails", -EIO, "it is broken");
	is_told("silent", -EIO, "eprof-render failed and does not say why");
	is_told("killed", -EIO, "eprof-render crashed (segmentation fault)");
}

static void it_may_not_say_too_much(void **state)
{
	(void)state;
	is_told("babbles", -EFBIG, "eprof-render says too much, and was ended");
	is_told("chatters", -EFBIG, "eprof-render says too much, and was ended");
}

static void do_nothing(int number)
{
	(void)number;
}

/* A signal of before leaves it alone; one that comes meanwhile gives it its grace. */
static void a_signal_ends_it(void **state)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 300000}};
	struct str out = {0};
	sigset_t set;
	pid_t child;
	int fd;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	signal(SIGALRM, do_nothing);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	raise(SIGALRM);
	assert_int_equal(run("says", fd, &out), 0);
	str_release(&out);
	/* Without it, it would sleep on. */
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(run("hangs", fd, &out), -EINTR);
	assert_string_equal(err_text(), "eprof-render was ended by a signal");
	child = atoi(str_text(&out));
	assert_true(child > 0 && kill(child, 0));
	str_release(&out);
	close(fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A pipe that cannot be made is told as what it is. */
static void descriptors_run_out(void **state)
{
	const char *const words[] = {"says", NULL};
	struct rlimit old, few;
	int rc, fd = dup(2);

	(void)state;
	close(fd);
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){(rlim_t)fd, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	rc = render_run(words, NULL, RENDER_RUN_ON, NULL);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(rc, -EMFILE);
	assert_string_equal(err_text(), "cannot make a pipe: Too many open files");
}

static void json_is_ascii(void **state)
{
	struct str s = {0};

	(void)state;
	json_quoted(&s, "a\"\\\n\x01 µ € 😀 \xff\xc3");
	assert_string_equal(str_text(&s),
			    "\"a\\\"\\\\\\u000a\\u0001 \\u00b5 \\u20ac \\ud83d\\ude00 "
			    "\\ufffd\\ufffd\"");
	str_release(&s);
	json_member(&s, "name", NULL);
	json_member(&s, "other", "x");
	assert_string_equal(str_text(&s), ", \"name\": null, \"other\": \"x\"");
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gets_words_and_bytes),	   cmocka_unit_test(its_end_is_told),
		cmocka_unit_test(it_may_not_say_too_much), cmocka_unit_test(a_signal_ends_it),
		cmocka_unit_test(descriptors_run_out),	   cmocka_unit_test(json_is_ascii),
	};

	return cmocka_run_group_tests(tests, put_script, remove_script);
}
