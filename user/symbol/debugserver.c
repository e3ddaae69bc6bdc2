#include "symbol/debugserver.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define LIBRARY "libdebuginfod.so.1"

/* Keeps a server that sends without end from filling the disk. The largest debug files have a few
 * GiB. */
#define MOST_BYTES (INT64_C(16) << 30)

#define STEP_NS 100000000 /* how often the deadline is checked */

/* The child writes lines: "P GOT OF" (progress), and at the end "F PATH" or "E ERRNO". */
#define LINE_BYTES 4352

bool debugserver_is_set(void)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);

	return urls && urls[strspn(urls, " ")];
}

/* --- in the child --------------------------------------------------------------------------- */

struct library {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find;
	__typeof__(debuginfod_set_progressfn) *set_progress;
	__typeof__(debuginfod_set_user_data) *set_data;
};

static bool load(struct library *l)
{
	void *at = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);

	if (!at)
		return false;
	l->begin = (__typeof__(l->begin))dlsym(at, "debuginfod_begin");
	l->end = (__typeof__(l->end))dlsym(at, "debuginfod_end");
	l->find = (__typeof__(l->find))dlsym(at, "debuginfod_find_debuginfo");
	l->set_progress = (__typeof__(l->set_progress))dlsym(at, "debuginfod_set_progressfn");
	l->set_data = (__typeof__(l->set_data))dlsym(at, "debuginfod_set_user_data");
	return l->begin && l->end && l->find && l->set_progress && l->set_data;
}

static void __attribute__((format(printf, 2, 3))) say(int fd, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (n > 0)
		(void)file_put(fd, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

/* The library returns our pointer by a call of its own. */
static int on_progress(debuginfod_client *client, long got, long of)
{
	__typeof__(debuginfod_get_user_data) *data =
		(__typeof__(data))dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");

	if (data)
		say(*(int *)data(client), "P %ld %ld\n", got, of);
	return 0;
}

static int fetch(const uint8_t *id, uint8_t bytes, int out)
{
	struct library l = {0};
	debuginfod_client *client;
	char *path = NULL;
	int fd;

	if (!load(&l))
		return -ENOSYS;
	client = l.begin();
	if (!client)
		return -ENOMEM;
	l.set_data(client, &out);
	l.set_progress(client, on_progress);
	fd = l.find(client, id, bytes, &path);
	if (fd >= 0)
		say(out, "F %s\n", path);
	l.end(client);
	return fd < 0 ? fd : 0;
}

/* The child ends with its parent, and writes no file larger than a debug file can be. */
static void __attribute__((noreturn)) run_child(const uint8_t *id, uint8_t bytes, int out)
{
	const struct rlimit most = {MOST_BYTES, MOST_BYTES};
	int rc;

	setrlimit(RLIMIT_FSIZE, &most);
	signal(SIGPIPE, SIG_DFL);
	rc = fetch(id, bytes, out);
	if (rc)
		say(out, "E %d\n", -rc);
	_exit(0);
}

/* --- in the parent -------------------------------------------------------------------------- */

struct download {
	pid_t pid;
	int fd;		 /* the child's lines */
	struct str line; /* the part of a line read so far */
	char *path;
	int rc; /* 1: not known yet */
};

static int begin(struct download *d, const uint8_t *id, uint8_t bytes)
{
	int ends[2];

	*d = (struct download){.rc = 1};
	if (pipe2(ends, O_CLOEXEC))
		return err(-errno, "no pipe for a download: %s", strerror(errno));
	d->pid = child_fork();
	if (!d->pid) {
		close(ends[0]);
		run_child(id, bytes, ends[1]);
	}
	close(ends[1]);
	d->fd = ends[0];
	if (d->pid > 0)
		return 0;
	close(d->fd);
	return err(-EAGAIN, "no process for a download: %s", strerror(errno));
}

static void take_line(struct download *d, const char *line, const struct debugserver_wait *w)
{
	uint64_t got, of;

	if (sscanf(line, "P %" SCNu64 " %" SCNu64, &got, &of) == 2)
		w->progress(w->context, got, of);
	else if (!strncmp(line, "F /", 3) && d->rc == 1) {
		d->path = mem_strdup(line + 2);
		d->rc = 0;
	} else if (line[0] == 'E') {
		d->rc = -(int)strtol(line + 1, NULL, 10);
	}
}

/* False: the child has closed its pipe. */
static bool take_some(struct download *d, const struct debugserver_wait *w)
{
	char some[512];
	ssize_t n = read(d->fd, some, sizeof(some));

	if (n <= 0)
		return n < 0 && errno == EINTR;
	for (ssize_t i = 0; i < n; i++) {
		if (some[i] != '\n') {
			str_addc(&d->line, some[i]);
			continue;
		}
		take_line(d, str_text(&d->line), w);
		d->line.n = 0;
		if (d->line.s)
			d->line.s[0] = '\0';
	}
	return d->line.n < LINE_BYTES;
}

/* False: the deadline passed. */
static bool wait_for(struct download *d, const struct debugserver_wait *w)
{
	for (;;) {
		const uint64_t now = clock_ns(CLOCK_MONOTONIC);
		struct pollfd p = {.fd = d->fd, .events = POLLIN};

		if (now >= w->deadline_ns)
			return false;
		if (poll(&p, 1, now + STEP_NS < w->deadline_ns ? STEP_NS / 1000000 : 1) > 0 &&
		    !take_some(d, w))
			return true;
	}
}

static int say_why(int rc)
{
	switch (rc) {
	case -ENOSYS:
		return err(rc, "debuginfod needs " LIBRARY ": install libdebuginfod1");
	case -ENOENT:
		return err(rc, "no server of DEBUGINFOD_URLS has it");
	default:
		return err(-EIO, "the servers of DEBUGINFOD_URLS failed: %s",
			   rc < 0 ? strerror(-rc) : "the download broke off");
	}
}

/* Kills the child. */
static void end(struct download *d)
{
	(void)child_await(d->pid, 0, NULL, NULL);
	close(d->fd);
	str_release(&d->line);
}

int debugserver_fetch(const uint8_t *id, uint8_t bytes, const struct debugserver_wait *w,
		      char **path)
{
	struct download d;
	bool in_time;
	int fd, rc = begin(&d, id, bytes);

	*path = NULL;
	if (rc)
		return rc;
	in_time = wait_for(&d, w);
	end(&d);
	*path = d.path;
	if (!in_time && d.rc)
		return err(-ETIMEDOUT, "the servers of DEBUGINFOD_URLS did not answer in time");
	fd = d.rc ? -1 : open(d.path, O_RDONLY | O_CLOEXEC);
	return d.rc	? say_why(d.rc)
	       : fd < 0 ? err(-EIO, "cannot open '%s': %s", d.path, strerror(errno))
			: fd;
}
