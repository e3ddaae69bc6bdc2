/* A spare broker goes on with the files that the first had begun when that is gone, and with no
 * others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "broker/spare.h"

#define NUMBER 2 /* of the file */

/* A first broker, which has begun a file, and its spare: this process. */
struct world {
	char folder[64], path[96];
	pid_t first;
	int told; /* its end of a pipe: closing it has the first go on */
	struct spare spare;
	struct file_new files[BROKER_FILES];
};

/* What the first does before it is gone. */
enum way { BEGINS, FORGETS, COMMITS, ENDS };

static _Noreturn void be_first(struct world *w, enum way way, int ready, int told)
{
	struct file_new f;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (file_begin(&f, w->path, false) || file_write(&f, "half", 4))
		_exit(1);
	spare_note(w->spare.notes, NUMBER, &f);
	if (way == COMMITS && file_commit(&f))
		_exit(1);
	if (way == FORGETS) {
		file_drop(&f);
		spare_forget(w->spare.notes, NUMBER);
	}
	close(ready);
	(void)!read(told, &byte, 1);
	if (way == ENDS)
		_exit(7);
	for (;;)
		pause();
}

static void begin(struct world *w, enum way way)
{
	int ready[2], told[2];
	char byte;

	*w = (struct world){.folder = "/tmp/eprof-unit-XXXXXX"};
	assert_non_null(mkdtemp(w->folder));
	snprintf(w->path, sizeof(w->path), "%s/made", w->folder);
	w->spare.notes = spare_notes_new();
	assert_int_equal(pipe(ready) | pipe(told), 0);
	w->first = fork();
	if (!w->first) {
		close(ready[0]);
		close(told[1]);
		be_first(w, way, ready[1], told[0]);
	}
	close(ready[1]);
	close(told[0]);
	w->told = told[1];
	w->spare.first_fd = pidfd_open(w->first, 0);
	assert_true(w->spare.first_fd > 0);
	assert_int_equal(read(ready[0], &byte, 1), 0);
	close(ready[0]);
}

/* Takes over; how the first has ended, as waitpid() says. */
static int take_over(struct world *w, int ms)
{
	int status = 0;

	spare_take_over(&w->spare, w->files, ms);
	close(w->told);
	assert_int_equal(waitpid(w->first, &status, 0), w->first);
	return status;
}

static void end(struct world *w)
{
	for (int i = 0; i < BROKER_FILES; i++)
		file_drop(&w->files[i]);
	spare_notes_release(w->spare.notes);
	unlink(w->path);
	assert_int_equal(rmdir(w->folder), 0);
}

static void expect_text(const char *path, const char *want)
{
	_free_ char *text = NULL;
	size_t n;

	assert_int_equal(file_read(path, 100, &text, &n), 0);
	assert_string_equal(text, want);
}

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static void what_was_begun_is_gone_on_with(void **state)
{
	struct world w;
	int status;

	(void)state;
	begin(&w, BEGINS);
	status = take_over(&w, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	for (int i = 0; i < BROKER_FILES; i++)
		assert_int_equal(w.files[i].path != NULL, i == NUMBER);
	assert_false(is_there(w.path));
	assert_false(spare_was_committed(&w.spare, NUMBER));
	assert_int_equal(file_put_at(w.files[NUMBER].fd, " and more", 9, 4), 0);
	assert_int_equal(file_commit(&w.files[NUMBER]), 0);
	expect_text(w.path, "half and more");
	/* Once is enough. */
	spare_take_over(&w.spare, w.files, 0);
	assert_null(w.files[NUMBER].path);
	end(&w);
}

static void who_ends_by_itself_is_not_killed(void **state)
{
	struct world w;
	int status;

	(void)state;
	begin(&w, ENDS);
	close(w.told);
	w.told = -1;
	status = take_over(&w, 60000);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_non_null(w.files[NUMBER].path);
	end(&w);
}

static void what_is_done_is_left_alone(void **state)
{
	struct world w;

	(void)state;
	begin(&w, FORGETS);
	take_over(&w, 0);
	assert_null(w.files[NUMBER].path);
	assert_false(spare_was_committed(&w.spare, NUMBER));
	end(&w);
}

/* Who asked does not know that it is. */
static void what_has_its_name_is_said_to(void **state)
{
	struct world w;

	(void)state;
	begin(&w, COMMITS);
	take_over(&w, 0);
	assert_null(w.files[NUMBER].path);
	for (int i = -1; i <= BROKER_FILES; i++)
		assert_int_equal(spare_was_committed(&w.spare, i), i == NUMBER);
	assert_false(spare_was_committed(&w.spare, NUMBER));
	expect_text(w.path, "half");
	end(&w);
}

static const char *temp_of(const struct world *w)
{
	static char temp[256];
	char command[160];
	FILE *p;

	snprintf(command, sizeof(command), "ls -d %s/.eprof-*", w->folder);
	p = popen(command, "re");
	assert_non_null(p);
	assert_non_null(fgets(temp, sizeof(temp), p));
	pclose(p);
	temp[strcspn(temp, "\n")] = '\0';
	return temp;
}

/* Where others may write, they may have put another file in its place. */
static void anothers_file_is_not_taken(void **state)
{
	struct world w;
	const char *temp;
	char kept[128];
	FILE *f;

	(void)state;
	begin(&w, BEGINS);
	temp = temp_of(&w);
	snprintf(kept, sizeof(kept), "%s/kept", w.folder);
	/* Linked, so that the inode is not given to the next file. */
	assert_int_equal(rename(temp, kept), 0);
	f = fopen(temp, "we");
	fputs("theirs", f);
	fclose(f);
	take_over(&w, 0);
	assert_null(w.files[NUMBER].path);
	assert_false(spare_was_committed(&w.spare, NUMBER));
	expect_text(temp, "theirs");
	unlink(temp);
	unlink(kept);
	end(&w);
	/* Or a link to one. */
	begin(&w, BEGINS);
	temp = temp_of(&w);
	assert_int_equal(unlink(temp) | symlink("/etc/passwd", temp), 0);
	take_over(&w, 0);
	assert_null(w.files[NUMBER].path);
	unlink(temp);
	end(&w);
}

static void without_a_spare_nothing_is_noted(void **state)
{
	struct spare none = {0};
	struct file_new files[BROKER_FILES] = {0};

	(void)state;
	spare_note(NULL, 0, &files[0]);
	spare_forget(NULL, 0);
	spare_take_over(&none, files, 0);
	assert_null(files[0].path);
	assert_false(spare_was_committed(&none, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_begun_is_gone_on_with),
		cmocka_unit_test(who_ends_by_itself_is_not_killed),
		cmocka_unit_test(what_is_done_is_left_alone),
		cmocka_unit_test(what_has_its_name_is_said_to),
		cmocka_unit_test(anothers_file_is_not_taken),
		cmocka_unit_test(without_a_spare_nothing_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
