/* The file of windows when a call of its writer fails, is interrupted, or is the last one before a
 * kill: at each call in turn. Each time the file holds windows as wholes, the capture is told what
 * is not in it, and no temporary file stays but a killed writer's, which the next one removes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/window_file.h"
#include "capture/sink_file.h"
#include "capture/window_writer.h"
#include "model/rows.h"
#include "store_sample.h"
#include "temp_folder.h"

#define WINDOWS 2
#define PATH	"a.h5.part"

enum how { FAILS, INTERRUPTED, KILLED, HOWS };

/* Shared with the writers, which are children. */
static struct fault {
	enum how how;
	int left;  /* calls until then; a large number: never */
	int error; /* of FAILS */
	bool met;
} * fault;

/* True: the call is to return -1. */
static bool meet(bool can_be_interrupted)
{
	if (!fault || fault->left-- != 0)
		return false;
	if (fault->how == INTERRUPTED && !can_be_interrupted) {
		fault->left = 0; /* the next that can be */
		return false;
	}
	fault->met = true;
	if (fault->how == KILLED) {
		fault->left = 1 << 20;
		_exit(9);
	}
	errno = fault->how == INTERRUPTED ? EINTR : fault->error;
	return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t n)
{
	if (fd > STDERR_FILENO && meet(true))
		return -1;
	/* Short writes always: half, where there are two bytes. */
	return REAL(write)(fd, bytes, fd > STDERR_FILENO && n > 4096 ? n / 2 : n);
}

int ftruncate(int fd, off_t at)
{
	return meet(false) ? -1 : REAL(ftruncate)(fd, at);
}

int fdatasync(int fd)
{
	return meet(false) ? -1 : REAL(fdatasync)(fd);
}

int fsync(int fd)
{
	return meet(false) ? -1 : REAL(fsync)(fd);
}

int rename(const char *from, const char *to)
{
	return meet(false) ? -1 : REAL(rename)(from, to);
}

/* --- a capture ---------------------------------------------------------------------------------
 */

static int make(void *context, struct profile **out, struct profile **counts,
		struct ledger_past *past)
{
	*out = store_sample("1.0", *(int *)context);
	*counts = rows_counts(*out, 1);
	past->samples[0] = 1;
	return 0;
}

/* Without a broker: the writer does it itself. */
static int put(const struct window_place *w, const void *bytes, size_t n, uint64_t at,
	       int signal_fd)
{
	(void)signal_fd;
	return window_file_put(w->context, w->path, bytes, n, at);
}

static int get(const struct window_place *w, void *bytes, size_t n, uint64_t at, int signal_fd)
{
	(void)signal_fd;
	return window_file_get(w->context, w->path, bytes, n, at);
}

static struct window_place place = {.path = PATH, .put = put, .get = get};

/* One window; 0 where the capture is told that it is in the file. */
static int window(struct window_writer *w, struct namebook *names, int number)
{
	const struct window_maker m = {make, &number, names, -1};
	struct ledger_past past = {0};
	int error = 0;

	w->maker = m;
	if (window_writer_begin(w))
		return -1;
	assert_false(window_writer_busy(w, true, &past, &error));
	return error;
}

static int temporary_files(void)
{
	DIR *d = opendir(".");
	int n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += !strncmp(e->d_name, ".eprof-", 7);
	closedir(d);
	return n;
}

/* What is in the file is what the capture was told. */
static void check_file(const struct window_writer *w, int in_it)
{
	struct profile *p = NULL;
	struct splice s;

	assert_int_equal(w->windows, in_it);
	if (!in_it)
		return;
	splice_init(&s);
	assert_int_equal(sinks_read(w->sinks, &s), 0);
	splice_release(&s);
	assert_int_equal(store_load(PATH, NULL, &p), 0);
	profile_free(p);
}

/* Whether the fault was met: there are so many calls. */
static bool run(enum how how, int at, int error)
{
	const void *const options[SINKS] = {[SINK_file] = &place};
	struct sinks sinks;
	struct window_writer w = {.sinks = &sinks, .names_fd = -1};
	struct namebook names = {0};
	int in_it = 0;

	sinks_init(&sinks, options);
	unlink(PATH);
	*(struct window_file *)place.context = (struct window_file){0};
	*fault = (struct fault){.how = how, .left = at, .error = error};
	for (int i = 0; i < WINDOWS; i++) {
		const int rc = window(&w, &names, i);

		if (how == INTERRUPTED)
			assert_int_equal(rc, 0);
		in_it += !rc;
		check_file(&w, in_it);
	}
	/* One call broke: what came after it did not. */
	assert_true(in_it >= WINDOWS - 1);
	window_writer_release(&w);
	sinks_release(&sinks);
	namebook_release(&names);
	assert_int_equal(temporary_files(), 0);
	return fault->met;
}

static int run_all(enum how how, int error)
{
	int n = 0;

	while (run(how, n, error))
		n++;
	return n;
}

static void each_call_that_fails(void **state)
{
	(void)state;
	assert_true(run_all(FAILS, ENOSPC) > 4);
	assert_true(run_all(FAILS, EIO) > 4);
}

static void each_call_that_is_interrupted(void **state)
{
	(void)state;
	assert_true(run_all(INTERRUPTED, 0) > 1);
}

static void a_writer_that_is_killed_at_each_call(void **state)
{
	(void)state;
	assert_true(run_all(KILLED, 0) > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_call_that_fails, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(each_call_that_is_interrupted, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(a_writer_that_is_killed_at_each_call, enter_folder,
						leave_folder),
	};

	fault = mmap(NULL, sizeof(*fault), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	fault->left = 1 << 20;
	place.context = mmap(NULL, sizeof(struct window_file), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
