#include "cmd/render_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ending.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "broker/agent.h"
#include "cmd/render_start.h"

#define SAID_MOST 4096 /* of what it has to say, bytes */
/* It limits itself to 10 minutes of CPU time, and waits up to one for a store that others use. */
#define WALL_S 900
#define NS     UINT64_C(1000000000)

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* --- bytes for it ----------------------------------------------------------------------------- */

static int make_memory(void)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("eprof", flags | MFD_NOEXEC_SEAL);

	/* Before 6.3 */
	return fd < 0 && errno == EINVAL ? memfd_create("eprof", flags) : fd;
}

int render_file_make(struct render_file *f, const void *bytes, size_t n)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	int rc;

	*f = (struct render_file){.fd = make_memory()};
	if (f->fd < 0)
		return err(-errno, "cannot hand anything to " RENDER_NAME ": %s", strerror(errno));
	snprintf(f->path, sizeof(f->path), RENDER_FILE);
	rc = file_put(f->fd, bytes, n);
	if (!rc && fcntl(f->fd, F_ADD_SEALS, seals))
		rc = -errno;
	return rc ? err(rc, "cannot hand anything to " RENDER_NAME ": %s", strerror(-rc)) : 0;
}

void render_file_close(struct render_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* --- the process --------------------------------------------------------------------------------
 */

struct run {
	const char *const *words; /* NULL: the broker starts program number @which */
	uint32_t which;
	const struct render_file *file;
	pid_t child;
	int out, said; /* ends of pipes to read from */
	int signal_fd;
	bool is_lost; /* the broker that had started it is gone: how it ended is not known */
};

static int have_started(const struct run *r, const struct render_ends *e)
{
	const int fds[] = {e->file, e->out, e->said};
	int none;

	return agent_run(r->which, "", fds, 3, &none);
}

static int start(struct run *r)
{
	/* Behind the standard streams, some of which may be closed. */
	int out[2] = {-1, -1}, said[2] = {-1, -1}, rc;
	struct render_ends ends;

	if (pipe2(out, O_CLOEXEC) || pipe2(said, O_CLOEXEC)) {
		rc = err(-errno, "cannot make a pipe: %s", strerror(errno));
		for (int i = 0; i < 2; i++)
			if (out[i] >= 0)
				close(out[i]);
		return rc;
	}
	ends = (struct render_ends){r->file ? r->file->fd : -1, out[1], said[1]};
	rc = r->words ? render_start(r->words, &ends, &r->child) : have_started(r, &ends);
	r->out = out[0];
	r->said = said[0];
	close(out[1]);
	close(said[1]);
	return rc;
}

/* --- what it says -------------------------------------------------------------------------------
 */

/* Adds what is there; 0 at the end, -EFBIG past @most, or -errno. */
static ssize_t take(int fd, struct str *to, size_t most)
{
	char buf[16384];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (to->n + (size_t)n > most)
		return -EFBIG;
	if (n)
		str_addn(to, buf, (size_t)n);
	return n;
}

/* Whether there were signals. */
static bool take_signals(int fd)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (fd >= 0 && read(fd, &info, sizeof(info)) == sizeof(info))
		any = true;
	return any;
}

/* When it has to be done, and what is to be said then: *@why. */
static uint64_t end_after_signal(uint64_t end, int *why)
{
	const uint64_t grace = clock_ns(CLOCK_MONOTONIC) + RENDER_RUN_GRACE_S * NS;

	if (grace >= end)
		return end;
	*why = -EINTR;
	return grace;
}

/* Until it has closed both. -EFBIG: it says too much; -ETIMEDOUT: it takes too long; -EINTR: after
 * a signal. */
static int listen_to(const struct run *r, struct str *out, struct str *said)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + WALL_S * NS;
	int why = -ETIMEDOUT;
	struct pollfd p[] = {{.fd = r->out, .events = POLLIN},
			     {.fd = r->said, .events = POLLIN},
			     {.fd = r->signal_fd, .events = POLLIN}};
	struct str *const to[] = {out, said};
	const size_t most[] = {RENDER_RUN_BYTES, SAID_MOST};

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		const uint64_t now = clock_ns(CLOCK_MONOTONIC);

		if (now >= end)
			return why;
		if (poll(p, 3, (int)((end - now) / 1000000) + 1) < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? take(p[i].fd, to[i], most[i]) : 1;

			if (n < 0)
				return (int)n;
			p[i].fd = n ? p[i].fd : -1;
			p[i].revents = 0;
		}
		if (p[2].revents && take_signals(r->signal_fd))
			end = end_after_signal(end, &why);
	}
	return 0;
}

/* Whatever it does: one that was killed and does not end, in a system call that does not return, is
 * left to init. -1: that. */
static int reap(struct run *r, bool killed)
{
	int status = 0;
	pid_t got;

	if (!r->words) {
		const int rc = agent_run_end(killed, &status);

		r->is_lost = rc == -ECHILD;
		return rc ? -1 : status;
	}
	if (killed) {
		kill(-r->child, SIGKILL);
		/* Which has perhaps not made that group yet. */
		kill(r->child, SIGKILL);
	}
	for (int i = 0; (got = waitpid(r->child, &status, killed ? WNOHANG : 0)) <= 0; i++) {
		if ((got < 0 && errno != EINTR) || i == 1000)
			return -1;
		if (!got)
			poll(NULL, 0, 1);
	}
	return status;
}

/* Its first line, without its name; else how it ended. */
static int tell(const struct str *said, int status)
{
	const char *line = str_text(said);
	const size_t name = sizeof(RENDER_NAME ": ") - 1;
	_free_ char *text = NULL;

	line += str_starts(line, RENDER_NAME ": ") ? name : 0;
	text = mem_strndup(line, strcspn(line, "\n"));
	if (*text)
		return err(-EIO, "%s", text);
	return err(-EIO, RENDER_NAME " %s",
		   WIFSIGNALED(status) ? ending_text(WTERMSIG(status))
				       : "failed and does not say why");
}

static int finish(struct run *r, struct str *out)
{
	struct str said = {0};
	int rc = listen_to(r, out, &said), status;

	status = reap(r, rc != 0);
	if (rc)
		rc = err(rc, RENDER_NAME " %s",
			 rc == -ETIMEDOUT ? "takes too long, and was ended"
			 : rc == -EINTR	  ? "was ended by a signal"
			 : rc == -EFBIG	  ? "says too much, and was ended"
					  : "could not be listened to, and was ended");
	else if (status)
		rc = tell(&said, status);
	str_release(&said);
	return rc;
}

static int run(struct run *r, struct str *out)
{
	struct str nothing = {0};
	int rc;

	/* What came before was meant for what was done then. */
	take_signals(r->signal_fd);
	rc = start(r);
	if (!rc)
		rc = finish(r, out ? out : &nothing);
	if (r->out >= 0)
		close(r->out);
	if (r->said >= 0)
		close(r->said);
	str_release(&nothing);
	return rc;
}

int render_run(const char *const *words, const struct render_file *file, int signal_fd,
	       struct str *out)
{
	struct run r = {
		.words = words, .file = file, .out = -1, .said = -1, .signal_fd = signal_fd};

	return run(&r, out);
}

int render_have_run(uint32_t which, const struct render_file *file, int signal_fd, struct str *out)
{
	struct run r = {
		.which = which, .file = file, .out = -1, .said = -1, .signal_fd = signal_fd};
	const size_t before = out->n;
	const int rc = run(&r, out);

	if (!r.is_lost || rc == -EINTR)
		return rc;
	if (out->n > before)
		return 0;
	r.out = r.said = -1;
	return run(&r, out);
}
