#include "cmd/render_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "confine/capabilities.h"

#define NAME	   "eprof-render"
#define WORDS_MOST 16
#define SAID_MOST  4096 /* of what it has to say, bytes */
/* It limits itself to 10 minutes of CPU time, and waits up to one for a store that others use. */
#define WALL_S 900
#define NS     UINT64_C(1000000000)
/* Where bytes are for it: the first descriptor behind the standard streams. */
#define FILE_FD 3

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
		return err(-errno, "cannot hand anything to " NAME ": %s", strerror(errno));
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", FILE_FD);
	rc = file_put(f->fd, bytes, n);
	if (!rc && fcntl(f->fd, F_ADD_SEALS, seals))
		rc = -errno;
	return rc ? err(rc, "cannot hand anything to " NAME ": %s", strerror(-rc)) : 0;
}

void render_file_close(struct render_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* --- the child ----------------------------------------------------------------------------------
 */

struct run {
	const char *argv[WORDS_MOST + 4];
	char mode[sizeof("--mode=7777")]; /* "": none was given */
	const struct render_file *file;
	char path[PATH_MAX]; /* of the program */
	pid_t child;
	int out, said; /* ends of pipes to read from */
	int signal_fd;
};

/* Beside this program alone: whoever sets PATH shall not say what root runs. */
static int find_program(struct run *r)
{
	ssize_t n = readlink("/proc/self/exe", r->path, sizeof(r->path) - sizeof(NAME) - 1);
	char *slash;

	if (n > 0)
		r->path[n] = '\0';
	slash = n > 0 ? strrchr(r->path, '/') : NULL;
	if (!slash)
		return err(-ENOENT, "cannot find " NAME ", which stands beside eprof");
	strcpy(slash + 1, NAME);
	return 0;
}

static void set_words(struct run *r, const char *const *words)
{
	size_t n = 0;

	r->argv[n++] = NAME;
	r->argv[n++] = "for-eprof";
	if (file_given_mode()) {
		snprintf(r->mode, sizeof(r->mode), "--mode=%03o", file_given_mode() & 0777u);
		r->argv[n++] = r->mode;
	}
	while (*words && n < WORDS_MOST + 3)
		r->argv[n++] = *words++;
	r->argv[n] = NULL;
}

/* @fd as @number, and open behind exec. */
static void place(int fd, int number)
{
	if (fd == number)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, number);
}

static void set_descriptors(const struct run *r, int out, int said)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	/* Behind all that is to be replaced. */
	const int file = r->file ? fcntl(r->file->fd, F_DUPFD_CLOEXEC, FILE_FD + 1) : -1;

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	place(out, STDOUT_FILENO);
	place(said, STDERR_FILENO);
	if (file >= 0)
		place(file, FILE_FD);
	close_range((unsigned)FILE_FD + (file >= 0), ~0u, 0);
}

/* In a group of its own: Ctrl-C is for eprof, which has a profile to bring home. */
static _Noreturn void become(const struct run *r, int out, int said)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGXFSZ};
	sigset_t none;

	setpgid(0, 0);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		signal(ours[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	set_descriptors(r, out, said);
	capabilities_pass_on();
	execv(r->path, (char *const *)r->argv);
	dprintf(STDERR_FILENO, NAME ": cannot run '%s': %s\n", r->path, strerror(errno));
	_exit(127);
}

static int start(struct run *r)
{
	/* Behind the standard streams, some of which may be closed. */
	int out[2] = {-1, -1}, said[2] = {-1, -1};

	if (pipe2(out, O_CLOEXEC) || pipe2(said, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return err(-errno, "cannot make a pipe: %s", strerror(errno));
	}
	r->child = child_fork();
	if (!r->child)
		become(r, out[1], said[1]);
	r->out = out[0];
	r->said = said[0];
	close(out[1]);
	close(said[1]);
	return r->child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}

/* --- what it says -------------------------------------------------------------------------------
 */

/* Adds what is there; 0 at the end, -EFBIG past @most. */
static ssize_t take(int fd, struct str *to, size_t most)
{
	char buf[16384];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : 0;
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
static int reap(const struct run *r, bool killed)
{
	int status = 0;
	pid_t got;

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
	const size_t name = sizeof(NAME ": ") - 1;
	_free_ char *text = NULL;

	line += str_starts(line, NAME ": ") ? name : 0;
	text = mem_strndup(line, strcspn(line, "\n"));
	if (*text)
		return err(-EIO, "%s", text);
	return err(-EIO, NAME " %s",
		   WIFSIGNALED(status) ? ending_text(WTERMSIG(status))
				       : "failed and does not say why");
}

static int finish(struct run *r, struct str *out)
{
	struct str said = {0};
	int rc = listen_to(r, out, &said), status;

	if (rc) {
		kill(-r->child, SIGKILL);
		/* Which has perhaps not made that group yet. */
		kill(r->child, SIGKILL);
	}
	status = reap(r, rc != 0);
	if (rc)
		rc = err(rc, NAME " %s",
			 rc == -ETIMEDOUT ? "takes too long, and was ended"
			 : rc == -EINTR	  ? "was ended by a signal"
					  : "says too much, and was ended");
	else if (status)
		rc = tell(&said, status);
	str_release(&said);
	return rc;
}

int render_run(const char *const *words, const struct render_file *file, int signal_fd,
	       struct str *out)
{
	struct run r = {.file = file, .out = -1, .said = -1, .signal_fd = signal_fd};
	struct str nothing = {0};
	int rc = find_program(&r);

	set_words(&r, words);
	/* What came before was meant for what was done then. */
	take_signals(signal_fd);
	if (!rc)
		rc = start(&r);
	if (!rc)
		rc = finish(&r, out ? out : &nothing);
	if (r.out >= 0)
		close(r.out);
	if (r.said >= 0)
		close(r.said);
	str_release(&nothing);
	return rc;
}
