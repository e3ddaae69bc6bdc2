/* A store whose writer is stopped: killed at each call that changes a file, before it and in the
 * middle of it; failing at each; and a machine without power, whose disk has any part of what was
 * not synced. Each time the store has the change as a whole or not at all, and takes the next. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "hdf5_leaks.h"
#include "store/h5.h"
#include "store_sample.h"
#include "temp_folder.h"

/* --- calls that change files, as this program sees them --------------------------------------- */

enum stop { STOP_NEVER, STOP_BEFORE, STOP_MIDWAY, STOP_FAIL };

/* What a call did, for the power cut. */
struct done {
	enum { DONE_WRITE, DONE_CUT, DONE_SYNC } what;
	uint64_t at;
	char *bytes; /* of a write */
	size_t n;
};

static struct {
	enum stop stop;
	int left;  /* calls until then */
	int error; /* of STOP_FAIL */
	bool failed;
	bool logs;
	VEC(struct done) log;
} fault;

/* True: the call is to fail. What is broken once stays so, as a disk that is full, but for what
 * still works there: @mends. */
static bool meet(bool mends)
{
	if (fault.stop == STOP_NEVER || fault.left-- > 0 || fault.stop == STOP_MIDWAY)
		return false;
	if (fault.stop == STOP_BEFORE)
		_exit(9);
	if (mends && fault.failed)
		return false;
	fault.failed = true;
	errno = fault.error;
	return true;
}

static bool stops_midway(void)
{
	return fault.stop == STOP_MIDWAY && fault.left < 0;
}

static void note(struct done d, const void *bytes)
{
	if (!fault.logs)
		return;
	if (bytes)
		d.bytes = memcpy(mem_zalloc(d.n + 1, 1), bytes, d.n);
	vec_push(&fault.log, d);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	if (meet(false))
		return -1;
	if (stops_midway()) {
		REAL(pwrite)(fd, bytes, n / 2, at);
		_exit(9);
	}
	note((struct done){.what = DONE_WRITE, .at = (uint64_t)at, .n = n}, bytes);
	return REAL(pwrite)(fd, bytes, n, at);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	/* Not what cmocka prints. */
	if (fd > STDERR_FILENO && meet(false))
		return -1;
	if (fd > STDERR_FILENO && stops_midway()) {
		REAL(write)(fd, bytes, n / 2);
		_exit(9);
	}
	return REAL(write)(fd, bytes, n);
}

int ftruncate(int fd, off_t at)
{
	if (meet(true))
		return -1;
	note((struct done){.what = DONE_CUT, .at = (uint64_t)at}, NULL);
	return REAL(ftruncate)(fd, at);
}

/* The kernel lives on when a process is killed: nothing needs to reach the disk. */
int fdatasync(int fd)
{
	(void)fd;
	if (meet(false))
		return -1;
	note((struct done){.what = DONE_SYNC}, NULL);
	return 0;
}

int fsync(int fd)
{
	(void)fd;
	return meet(false) ? -1 : 0;
}

int rename(const char *from, const char *to)
{
	return meet(false) ? -1 : REAL(rename)(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	return meet(false) ? -1 : REAL(renameat2)(a, from, b, to, flags);
}

/* --- the changes ------------------------------------------------------------------------------ */

#define RUNS 3 /* of the store before */

static int add_run(void)
{
	return store_sample_add("s.h5", "2.0", 100);
}

static int remove_run(void)
{
	size_t n;

	return store_remove("s.h5", &(struct store_key){.run = "prog-1"}, &n);
}

static int compact_store(void)
{
	uint64_t before, after;

	return store_compact("s.h5", &before, &after);
}

static int make_store(void)
{
	return store_sample_add("s.h5", "1.0", 0);
}

static const struct store_key replaced = {.run = "prog-1"};

/* Puts one that has another command line in the place of a run. */
static int replace_run(void)
{
	struct profile *p = NULL;
	int rc = store_load("s.h5", &replaced, &p);

	if (rc)
		return rc;
	profile_set_run(p, RUN_COMMAND, "prog --after");
	rc = store_replace("s.h5", &replaced, p);
	profile_free(p);
	return rc;
}

/* Whether that is the one that the store has. */
static bool is_replaced(void)
{
	struct profile *p = NULL;
	const char *command;
	bool after;

	assert_int_equal(store_load("s.h5", &replaced, &p), 0);
	command = profile_run(p, RUN_COMMAND);
	after = command && !strcmp(command, "prog --after");
	profile_free(p);
	return after;
}

struct change {
	int (*make)(void);
	int runs, runs_after;
	int least_calls;       /* that can be stopped */
	bool (*is_made)(void); /* NULL: the number of runs says it */
};

static const struct change changes[] = {
	{add_run, RUNS, RUNS + 1, 6, NULL},	   {remove_run, RUNS, RUNS - 1, 6, NULL},
	{compact_store, RUNS, RUNS, 10, NULL},	   {make_store, 0, 1, 3, NULL},
	{replace_run, RUNS, RUNS, 6, is_replaced},
};

/* The store before the change: copies are made of it, as it is always the same. */
static char *store_before(int runs, size_t *n)
{
	char *bytes = NULL;

	unlink("base.h5");
	for (int i = 0; i < runs; i++)
		assert_int_equal(store_sample_add("base.h5", i % 2 ? "1.0" : "2.0", i), 0);
	*n = 0;
	if (runs)
		assert_int_equal(file_read("base.h5", 1 << 20, &bytes, n), 0);
	unlink("base.h5");
	return bytes;
}

static void put(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void start_with(const char *bytes, size_t n)
{
	unlink("s.h5");
	if (n)
		put("s.h5", bytes, n);
}

/* Reading is right, changes nothing, and finds either of the two. Returns how many runs. */
static int check_either(const struct change *c)
{
	char *before = NULL, *after = NULL;
	size_t n_before, n_after;
	int runs;

	if (access("s.h5", F_OK)) {
		assert_int_equal(c->runs, 0);
		return 0;
	}
	assert_int_equal(file_read("s.h5", 1 << 20, &before, &n_before), 0);
	runs = store_sample_count("s.h5");
	if (runs < 0)
		print_error("%s\n", err_text());
	assert_true(runs == c->runs || runs == c->runs_after);
	assert_int_equal(file_read("s.h5", 1 << 20, &after, &n_after), 0);
	assert_int_equal(n_before, n_after);
	assert_memory_equal(before, after, n_after);
	free(before);
	free(after);
	return runs;
}

/* Whether the store, of @runs, has the change. */
static bool has_change(const struct change *c, int runs)
{
	return runs == c->runs_after && (!c->is_made || c->is_made());
}

/* The next change is made, and HDF5 alone reads the store then. */
static void check_goes_on(void)
{
	int runs = access("s.h5", F_OK) ? 0 : store_sample_count("s.h5");
	hid_t file;

	assert_int_equal(store_sample_add("s.h5", "3.0", 200), 0);
	assert_int_equal(store_sample_count("s.h5"), runs + 1);
	file = H5Fopen("s.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
	assert_true(file >= 0);
	assert_true(H5Lexists(file, "/3.0/linux-x86_64-cpu/profiles/prog-200", H5P_DEFAULT) > 0);
	H5Fclose(file);
}

/* True: the change was stopped. */
static bool stop_at(const struct change *c, enum stop stop, int call)
{
	int status;
	pid_t child = fork();

	if (!child) {
		fault.stop = stop;
		fault.left = call;
		_exit(c->make() ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_true(!WEXITSTATUS(status) || WEXITSTATUS(status) == 9);
	return WEXITSTATUS(status) == 9;
}

static void survives_kills_of(const struct change *c, enum stop stop)
{
	size_t n;
	char *bytes = store_before(c->runs, &n);
	int calls = 0, runs;

	for (bool stopped = true; stopped; calls++) {
		start_with(bytes, n);
		stopped = stop_at(c, stop, calls);
		runs = check_either(c);
		assert_true(stopped || has_change(c, runs));
		check_goes_on();
	}
	assert_true(calls > (stop == STOP_BEFORE ? c->least_calls : 1));
	free(bytes);
}

static void survives_kills(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		survives_kills_of(&changes[i], STOP_BEFORE);
		survives_kills_of(&changes[i], STOP_MIDWAY);
	}
}

/* A change that fails says why and leaves the old store and no file beside it; one that was made
 * before is made. */
static bool fails_at(const struct change *c, int call)
{
	int rc;

	fault.stop = STOP_FAIL;
	fault.error = call % 2 ? EIO : ENOSPC;
	fault.left = call;
	fault.failed = false;
	rc = c->make();
	fault.stop = STOP_NEVER;
	if (!rc) {
		assert_int_equal(check_either(c), c->runs_after);
		return fault.failed; /* something did all the same */
	}
	assert_int_equal(rc, -fault.error);
	assert_non_null(strstr(err_text(), strerror(fault.error)));
	assert_int_equal(access("s.h5", F_OK) ? 0 : store_sample_count("s.h5"), c->runs);
	assert_true(!c->is_made || !c->is_made());
	assert_int_equal(count_files(), c->runs ? 1 : 0);
	return true;
}

static void survives_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct change *c = &changes[i];
		size_t n;
		char *bytes = store_before(c->runs, &n);
		bool failed = true;
		int calls = 0;

		for (; failed; calls++) {
			start_with(bytes, n);
			failed = fails_at(c, calls);
			if (!failed)
				break;
			check_goes_on();
		}
		assert_true(calls >= c->least_calls);
		free(bytes);
	}
}

/* --- a power cut ------------------------------------------------------------------------------ */

#define SECTOR	   512
#define MOST_BYTES (1 << 20)
#define CUTS	   100

struct disk {
	char *bytes; /* MOST_BYTES of them */
	size_t n;
};

/* xorshift64 by Marsaglia. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void resize(struct disk *d, uint64_t n)
{
	assert_true(n <= MOST_BYTES);
	if (n > d->n)
		memset(d->bytes + d->n, 0, n - d->n);
	d->n = n;
}

/* The write reaches the disk sector by sector: all of them, or those that luck chooses. Its length
 * is known to the disk either way, or not at all. */
static void apply_write(struct disk *d, const struct done *w, bool all, uint64_t *seed)
{
	if (!all && next(seed) % 4 == 0)
		return;
	if (w->at + w->n > d->n)
		resize(d, w->at + w->n);
	for (size_t i = 0; i < w->n;) {
		size_t take = SECTOR - (w->at + i) % SECTOR;

		take = take < w->n - i ? take : w->n - i;
		if (all || next(seed) % 2)
			memcpy(d->bytes + w->at + i, w->bytes + i, take);
		i += take;
	}
}

static void apply(struct disk *d, const struct done *w, bool all, uint64_t *seed)
{
	if (w->what == DONE_WRITE)
		apply_write(d, w, all, seed);
	else if (w->what == DONE_CUT && (all || next(seed) % 2))
		resize(d, w->at);
}

static size_t count_syncs(void)
{
	size_t n = 0;

	for (size_t i = 0; i < fault.log.n; i++)
		n += fault.log.at[i].what == DONE_SYNC;
	return n;
}

/* What was done before sync number @synced is on the disk; of what came up to the next one, some.
 */
static void cut_power(struct disk *d, size_t synced, uint64_t *seed)
{
	size_t syncs = 0;

	for (size_t i = 0; i < fault.log.n && syncs <= synced; i++) {
		const struct done *w = &fault.log.at[i];

		if (w->what == DONE_SYNC)
			syncs++;
		else
			apply(d, w, syncs < synced, seed);
	}
}

static void survive_power_cuts(const struct change *c)
{
	struct disk d = {mem_zalloc(MOST_BYTES, 1), 0};
	uint64_t seed = 20261123;
	size_t n, seen[2] = {0};
	char *bytes = store_before(c->runs, &n);
	int runs;

	start_with(bytes, n);
	fault.logs = true;
	assert_int_equal(c->make(), 0);
	fault.logs = false;
	for (int i = 0; i < CUTS; i++) {
		size_t synced = next(&seed) % (count_syncs() + 1);

		memcpy(d.bytes, bytes, n);
		d.n = n;
		cut_power(&d, synced, &seed);
		put("s.h5", d.bytes, d.n);
		runs = check_either(c);
		seen[has_change(c, runs)]++;
		/* What was synced is there. */
		assert_true(!synced || has_change(c, runs));
		if (i % 8 == 0)
			check_goes_on();
	}
	assert_true(seen[0] > CUTS / 10 && seen[1] > CUTS / 10);
	for (size_t i = 0; i < fault.log.n; i++)
		free(fault.log.at[i].bytes);
	vec_release(&fault.log);
	free(d.bytes);
	free(bytes);
}

static void survives_power_cuts(void **state)
{
	(void)state;
	survive_power_cuts(&changes[0]);
	survive_power_cuts(&changes[1]);
	survive_power_cuts(&changes[4]);
}

/* --- several writers -------------------------------------------------------------------------- */

#define WRITERS	 10
#define ADD_EACH 20

static void takes_writers_at_once(void **state)
{
	int status, ended = 0;

	(void)state;
	for (int w = 0; w < WRITERS; w++) {
		if (fork())
			continue;
		for (int i = 0; i < ADD_EACH; i++)
			if (store_sample_add("s.h5", w % 2 ? "1.0" : "2.0", w * ADD_EACH + i))
				_exit(1);
		_exit(0);
	}
	/* Meanwhile it can be read. */
	while (ended < WRITERS) {
		int runs = access("s.h5", F_OK) ? 0 : store_sample_count("s.h5");

		if (runs < 0)
			print_error("%s\n", err_text());
		assert_in_range(runs, 0, WRITERS * ADD_EACH);
		while (ended < WRITERS && waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			ended++;
		}
	}
	assert_int_equal(store_sample_count("s.h5"), WRITERS * ADD_EACH);
	assert_int_equal(count_files(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(survives_kills),
		IN_FOLDER(survives_errors),
		IN_FOLDER(survives_power_cuts),
		IN_FOLDER(takes_writers_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
