#include "capture/window_writer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "broker/agent.h"
#include "store/store.h"

/* How long a child that is waited for may take to write what it has: what is not written by then is
 * still here. */
#define END_MS 10000

/* --- the child ------------------------------------------------------------------------------ */

static int send_counts(int fd, const struct profile *counts)
{
	_free_ char *image = NULL;
	size_t n = 0;
	int ret = store_image(counts, &image, &n);

	if (!ret && pwrite(fd, image, n, 0) != (ssize_t)n)
		ret = err(-EIO, "no memory for the counts of a window");
	return ret;
}

static int write_window(struct checkpoint *k, const struct window_place *place,
			const struct checkpoint_maker *m)
{
	struct checkpoint_report *r = k->report;
	_free_ char *image = NULL;
	struct profile *p = NULL, *counts = NULL;
	size_t n = 0;
	int ret = m->make(m->context, &p, &counts, &r->past);

	if (ret)
		return ret;
	ret = store_image(p, &image, &n);
	if (!ret)
		ret = send_counts(k->counts_fd, counts);
	if (!ret)
		/* Nobody would count what is written from here on. */
		ret = child_is_orphan() ? -ESRCH
					: place->put(place, image, n, k->end, m->signal_fd);
	if (ret)
		return ret;
	r->bytes = n;
	r->hash = hash_seeded(image, n, k->seed);
	return k->names_fd >= 0 ? namebook_send(m->names, &k->names_since, k->names_fd) : 0;
}

static void __attribute__((noreturn))
write_and_exit(struct checkpoint *k, const struct window_place *place,
	       const struct checkpoint_maker *m, const struct agent_lane *lane)
{
	int ret;

	agent_take_lane(lane);
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, 10);
	ret = write_window(k, place, m);
	k->report->error = ret;
	if (ret)
		snprintf(k->report->text, sizeof(k->report->text), "%s", err_text());
	_exit(ret ? 1 : 0);
}

/* --- the capture ---------------------------------------------------------------------------- */

static int make_ready(struct checkpoint *k)
{
	if (!k->report) {
		k->report = mem_shared(1, sizeof(*k->report));
		(void)!getrandom(&k->seed, sizeof(k->seed), 0);
	}
	memset(k->report, 0, sizeof(*k->report));
	k->report->error = -ECHILD;
	/* Once for all of them. */
	return store_library_load();
}

static int begin(struct checkpoint *k, const struct window_place *place,
		 const struct checkpoint_maker *m, const struct agent_lane *lane)
{
	int ret = make_ready(k);

	if (!ret && lane->broker < 0 && agent_is_there())
		ret = err(-EMFILE, "cannot write '%s': %s", place->path, strerror(EMFILE));
	if (ret)
		return ret;
	k->counts_fd = memfd_create("counts", MFD_CLOEXEC);
	if (k->counts_fd < 0)
		return err(-errno, "cannot write '%s': %s", place->path, strerror(errno));
	k->names_fd = memfd_create("names", MFD_CLOEXEC);
	k->names_since = namebook_mark(m->names);
	k->child = child_fork();
	if (k->child == 0)
		write_and_exit(k, place, m, lane);
	if (k->child > 0) {
		/* As it does itself: whoever comes first. */
		setpgid(k->child, k->child);
		return 0;
	}
	k->child = 0;
	if (k->names_fd >= 0)
		close(k->names_fd);
	close(k->counts_fd);
	return err(-errno, "cannot start a process to write '%s': %s", place->path,
		   strerror(errno));
}

int checkpoint_begin(struct checkpoint *k, const struct window_place *place,
		     const struct checkpoint_maker *m)
{
	/* The loader may ask for something meanwhile. */
	struct agent_lane lane;
	int ret;

	(void)agent_lane(&lane);
	ret = begin(k, place, m, &lane);
	agent_close_lane(&lane);
	return ret;
}

/* Without them the next window would have what is in this one. */
static int receive_counts(struct checkpoint *k)
{
	struct profile *counts = NULL;
	_free_ char *image = NULL;
	struct stat st;
	int ret;

	if (fstat(k->counts_fd, &st))
		return err(-errno, "cannot read the counts of a window: %s", strerror(errno));
	image = mem_zalloc((size_t)st.st_size + 1, 1);
	if (pread(k->counts_fd, image, (size_t)st.st_size, 0) != st.st_size)
		return err(-EIO, "cannot read the counts of a window");
	ret = store_load_image("counts", image, (size_t)st.st_size, &counts);
	if (ret)
		return ret;
	profile_free(k->counts);
	k->counts = counts;
	return 0;
}

static void add_past(struct ledger_past *to, const struct ledger_past *past)
{
	for (size_t i = 0; i < LEDGER_METRICS; i++) {
		to->samples[i] += past->samples[i];
		to->sums[i] += past->sums[i];
	}
	to->probes_ns += past->probes_ns;
	to->run.ns += past->run.ns;
	to->run.runs += past->run.runs;
}

static int take_report(struct checkpoint *k, const struct checkpoint_maker *m,
		       struct ledger_past *past)
{
	const struct checkpoint_report *r = k->report;
	int status, ret;

	/* What it had run may go on. */
	if (r->error == -ECHILD && agent_is_there())
		(void)agent_run_end(true, &status);
	if (r->error)
		return err(r->error, "%s", r->text[0] ? r->text : "its process was killed");
	ret = receive_counts(k);
	if (ret)
		return ret;
	k->end += r->bytes;
	vec_push(&k->windows, ((struct checkpoint_window){r->bytes, r->hash}));
	add_past(past, &r->past);
	/* Else they are looked up once more. */
	if (k->names_fd >= 0)
		(void)namebook_receive(m->names, k->names_fd);
	return 0;
}

void checkpoint_hurry(const struct checkpoint *k)
{
	setpriority(PRIO_PGRP, (id_t)k->child, getpriority(PRIO_PROCESS, 0));
}

void checkpoint_cut_short(const struct checkpoint *k)
{
	kill(k->child, SIGTERM);
}

bool checkpoint_busy(struct checkpoint *k, bool wait, const struct checkpoint_maker *m,
		     struct ledger_past *past, int *error)
{
	struct rusage usage = {0};

	if (wait)
		(void)child_await(k->child, END_MS, NULL, &usage);
	else if (wait4(k->child, NULL, WNOHANG, &usage) == 0)
		return true;
	k->child = 0;
	k->cpu_ns += clock_of_usage(&usage);
	*error = take_report(k, m, past);
	if (k->names_fd >= 0)
		close(k->names_fd);
	k->names_fd = -1;
	close(k->counts_fd);
	return false;
}

static int read_window(const struct checkpoint *k, const struct window_place *place, uint64_t at,
		       const struct checkpoint_window *w, struct profile **out)
{
	_free_ char *image = mem_zalloc(w->bytes, 1);
	const int ret = place->get(place, image, w->bytes, at, -1);

	if (ret)
		return ret;
	if (hash_seeded(image, w->bytes, k->seed) != w->hash)
		return err(-EIO, "'%s' is not what was written to it", place->path);
	return store_load_image(place->path, image, w->bytes, out);
}

int checkpoint_read(const struct checkpoint *k, const struct window_place *place, struct splice *s)
{
	uint64_t at = 0;
	int ret = 0;

	for (size_t i = 0; i < k->windows.n && !ret; i++) {
		struct profile *p = NULL;

		ret = read_window(k, place, at, &k->windows.at[i], &p);
		if (!ret)
			ret = splice_add(s, p);
		profile_free(p);
		at += k->windows.at[i].bytes;
	}
	return ret;
}

void checkpoint_release(struct checkpoint *k)
{
	if (k->child > 0)
		(void)child_await(k->child, END_MS, NULL, NULL);
	if (k->report)
		munmap(k->report, sizeof(*k->report));
	vec_release(&k->windows);
	profile_free(k->counts);
	*k = (struct checkpoint){0};
}
