#include "source/checkpoint.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
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

/* Behind what is whole; what is there of one that was not written whole goes away. */
static int append(const struct checkpoint *k, const char *path, const char *image, size_t n)
{
	int ret;

	if (ftruncate(k->fd, (off_t)k->end) || lseek(k->fd, (off_t)k->end, SEEK_SET) < 0)
		return err(-errno, "cannot write '%s': %s", path, strerror(errno));
	ret = file_put(k->fd, image, n);
	if (ret)
		return err(ret, "cannot write '%s': %s", path, strerror(-ret));
	if (fdatasync(k->fd) && errno != EINVAL)
		return err(-errno, "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

static int write_image(struct checkpoint *k, const char *path, const char *image, size_t n)
{
	int ret;

	if (k->has_file) {
		ret = append(k, path, image, n);
		if (ret)
			(void)!ftruncate(k->fd, (off_t)k->end);
		return ret;
	}
	ret = file_write(&k->first, image, n);
	if (!ret)
		ret = file_commit(&k->first);
	return ret;
}

static int write_window(struct checkpoint *k, const char *path, const struct checkpoint_maker *m)
{
	struct checkpoint_report *r = k->report;
	_free_ char *image = NULL;
	struct profile *p = NULL;
	size_t n = 0;
	int ret = m->make(m->context, &p);

	if (ret)
		return ret;
	ret = store_image(p, &image, &n);
	if (!ret)
		/* Nobody would count what is written from here on. */
		ret = child_is_orphan() ? -ESRCH : write_image(k, path, image, n);
	if (ret)
		return ret;
	r->bytes = n;
	r->hash = hash_seeded(image, n, k->seed);
	for (uint32_t i = 0; i < p->metrics.n && i < LEDGER_METRICS; i++)
		r->past.samples[i] = ledger_samples(p, i);
	return k->names_fd >= 0 ? namebook_send(m->names, &k->names_since, k->names_fd) : 0;
}

static void __attribute__((noreturn))
write_and_exit(struct checkpoint *k, const char *path, const struct checkpoint_maker *m,
	       const struct agent_lane *lane)
{
	int ret;

	agent_take_lane(lane);
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, 10);
	ret = write_window(k, path, m);
	k->report->error = ret;
	if (ret)
		snprintf(k->report->text, sizeof(k->report->text), "%s", err_text());
	_exit(ret ? 1 : 0);
}

/* --- the capture ---------------------------------------------------------------------------- */

static int make_ready(struct checkpoint *k, const char *path)
{
	int ret;

	if (!k->report) {
		k->report = mem_shared(1, sizeof(*k->report));
		(void)!getrandom(&k->seed, sizeof(k->seed), 0);
	}
	memset(k->report, 0, sizeof(*k->report));
	k->report->error = -ECHILD;
	/* Once for all of them. */
	ret = store_library_load();
	return ret || k->has_file ? ret : file_begin(&k->first, path, true);
}

static int begin(struct checkpoint *k, const char *path, const struct checkpoint_maker *m,
		 const struct agent_lane *lane)
{
	int ret = make_ready(k, path);

	if (!ret && lane->broker < 0 && agent_is_there())
		ret = err(-EMFILE, "cannot write '%s': %s", path, strerror(EMFILE));
	if (ret)
		return ret;
	k->names_fd = memfd_create("names", MFD_CLOEXEC);
	k->names_since = namebook_mark(m->names);
	k->child = child_fork();
	if (k->child == 0)
		write_and_exit(k, path, m, lane);
	if (k->child > 0) {
		/* As it does itself: whoever comes first. */
		setpgid(k->child, k->child);
		return 0;
	}
	k->child = 0;
	if (k->names_fd >= 0)
		close(k->names_fd);
	if (!k->has_file)
		file_drop(&k->first);
	return err(-errno, "cannot start a process to write '%s': %s", path, strerror(errno));
}

int checkpoint_begin(struct checkpoint *k, const char *path, const struct checkpoint_maker *m)
{
	/* The loader may ask for something meanwhile. */
	struct agent_lane lane;
	int ret;

	(void)agent_lane(&lane);
	ret = begin(k, path, m, &lane);
	agent_close_lane(&lane);
	return ret;
}

/* The child gave the first one its name. */
static void keep_file(struct checkpoint *k)
{
	k->fd = k->first.fd;
	k->has_file = true;
	file_forget(&k->first);
}

static int take_report(struct checkpoint *k, const struct checkpoint_maker *m,
		       struct ledger_past *past)
{
	const struct checkpoint_report *r = k->report;

	if (r->error) {
		if (!k->has_file)
			file_drop(&k->first);
		return err(r->error, "%s", r->text[0] ? r->text : "its process was killed");
	}
	if (!k->has_file)
		keep_file(k);
	k->end += r->bytes;
	vec_push(&k->windows, ((struct checkpoint_window){r->bytes, r->hash}));
	for (size_t i = 0; i < LEDGER_METRICS; i++)
		past->samples[i] += r->past.samples[i];
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
	return false;
}

static int read_window(const struct checkpoint *k, const char *path, uint64_t at,
		       const struct checkpoint_window *w, struct profile **out)
{
	_free_ char *image = mem_zalloc(w->bytes, 1);

	if (pread(k->fd, image, w->bytes, (off_t)at) != (ssize_t)w->bytes ||
	    hash_seeded(image, w->bytes, k->seed) != w->hash)
		return err(-EIO, "'%s' is not what was written to it", path);
	return store_load_image(path, image, w->bytes, out);
}

int checkpoint_read(const struct checkpoint *k, const char *path, struct splice *s)
{
	uint64_t at = 0;
	int ret = 0;

	for (size_t i = 0; i < k->windows.n && !ret; i++) {
		struct profile *p = NULL;

		ret = read_window(k, path, at, &k->windows.at[i], &p);
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
	if (k->has_file)
		close(k->fd);
	else
		file_drop(&k->first);
	if (k->report)
		munmap(k->report, sizeof(*k->report));
	vec_release(&k->windows);
	*k = (struct checkpoint){0};
}
