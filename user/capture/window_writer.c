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

static int write_window(struct window_writer *w)
{
	const struct window_maker *m = &w->maker;
	struct window_report *r = w->report;
	struct sink_window window = {.seed = w->seed};
	_free_ char *image = NULL;
	struct profile *p = NULL, *counts = NULL;
	int ret = m->make(m->context, &p, &counts, &r->past);

	if (!ret)
		ret = store_image(p, &image, &window.n);
	if (!ret)
		ret = send_counts(w->counts_fd, counts);
	if (ret)
		return ret;
	window.image = image;
	window.hash = hash_seeded(image, window.n, window.seed);
	/* Of an orphan nobody would count what is written from here on. */
	ret = child_is_orphan() ? -ESRCH : sinks_put(w->sinks, &window, m->signal_fd);
	if (ret)
		return ret;
	window.image = NULL;
	r->window = window;
	return w->names_fd >= 0 ? namebook_send(m->names, &w->names_since, w->names_fd) : 0;
}

static void __attribute__((noreturn))
write_and_exit(struct window_writer *w, const struct agent_lane *lane)
{
	int ret;

	agent_take_lane(lane);
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, 10);
	ret = write_window(w);
	w->report->error = ret;
	if (ret)
		snprintf(w->report->text, sizeof(w->report->text), "%s", err_text());
	_exit(ret ? 1 : 0);
}

/* --- the capture ---------------------------------------------------------------------------- */

static int make_ready(struct window_writer *w)
{
	if (!w->report) {
		w->report = mem_shared(1, sizeof(*w->report));
		(void)!getrandom(&w->seed, sizeof(w->seed), 0);
	}
	memset(w->report, 0, sizeof(*w->report));
	w->report->error = -ECHILD;
	/* Once for all of them. */
	return store_library_load();
}

static int cannot(int error)
{
	return err(error, "cannot write a window: %s", strerror(-error));
}

static int begin(struct window_writer *w, const struct agent_lane *lane)
{
	int ret = make_ready(w);

	if (!ret && lane->broker < 0 && agent_is_there())
		ret = cannot(-EMFILE);
	if (ret)
		return ret;
	w->counts_fd = memfd_create("counts", MFD_CLOEXEC);
	if (w->counts_fd < 0)
		return cannot(-errno);
	w->names_fd = memfd_create("names", MFD_CLOEXEC);
	w->names_since = namebook_mark(w->maker.names);
	w->child = child_fork();
	if (w->child == 0)
		write_and_exit(w, lane);
	if (w->child > 0) {
		/* The child does the same: one of the two comes first. */
		setpgid(w->child, w->child);
		return 0;
	}
	ret = cannot(-errno);
	w->child = 0;
	if (w->names_fd >= 0)
		close(w->names_fd);
	close(w->counts_fd);
	return ret;
}

int window_writer_begin(struct window_writer *w)
{
	/* The loader may ask for something meanwhile. */
	struct agent_lane lane;
	int ret;

	(void)agent_lane(&lane);
	ret = begin(w, &lane);
	agent_close_lane(&lane);
	return ret;
}

/* Without them the next window would have what is in this one. */
static int receive_counts(struct window_writer *w)
{
	struct profile *counts = NULL;
	_free_ char *image = NULL;
	struct stat st;
	int ret;

	if (fstat(w->counts_fd, &st))
		return err(-errno, "cannot read the counts of a window: %s", strerror(errno));
	image = mem_zalloc((size_t)st.st_size + 1, 1);
	if (pread(w->counts_fd, image, (size_t)st.st_size, 0) != st.st_size)
		return err(-EIO, "cannot read the counts of a window");
	ret = store_load_image("counts", image, (size_t)st.st_size, &counts);
	if (ret)
		return ret;
	profile_free(w->counts);
	w->counts = counts;
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

static int take_report(struct window_writer *w, struct ledger_past *past)
{
	const struct window_report *r = w->report;
	int status, ret;

	/* What it had run may go on. */
	if (r->error == -ECHILD && agent_is_there())
		(void)agent_run_end(true, &status);
	if (r->error)
		return err(r->error, "%s", r->text[0] ? r->text : "its process was killed");
	ret = receive_counts(w);
	if (ret)
		return ret;
	sinks_keep(w->sinks, &r->window);
	w->windows++;
	add_past(past, &r->past);
	/* Else they are looked up once more. */
	if (w->names_fd >= 0)
		(void)namebook_receive(w->maker.names, w->names_fd);
	return 0;
}

void window_writer_hurry(const struct window_writer *w)
{
	setpriority(PRIO_PGRP, (id_t)w->child, getpriority(PRIO_PROCESS, 0));
}

void window_writer_cut_short(const struct window_writer *w)
{
	kill(w->child, SIGTERM);
}

bool window_writer_busy(struct window_writer *w, bool wait, struct ledger_past *past, int *error)
{
	struct rusage usage = {0};

	if (wait)
		(void)child_await(w->child, END_MS, NULL, &usage);
	else if (wait4(w->child, NULL, WNOHANG, &usage) == 0)
		return true;
	w->child = 0;
	w->cpu_ns += clock_of_usage(&usage);
	*error = take_report(w, past);
	if (w->names_fd >= 0)
		close(w->names_fd);
	w->names_fd = -1;
	close(w->counts_fd);
	return false;
}

void window_writer_release(struct window_writer *w)
{
	if (w->child > 0)
		(void)child_await(w->child, END_MS, NULL, NULL);
	if (w->report)
		munmap(w->report, sizeof(*w->report));
	profile_free(w->counts);
	*w = (struct window_writer){0};
}
