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

#include "base/answers.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "broker/agent.h"
#include "confine/capabilities.h"

/* The descriptor of the bytes for eprof-render: the first after the standard streams. */
#define FILE_FD 3

struct start {
	const char *argv[RENDER_WORDS + 4];
	char mode[sizeof("--mode=7777")]; /* "": not given */
	char path[PATH_MAX];		  /* of eprof-render */
	const struct render_ends *ends;
};

/* Looks only beside this program: PATH, which the caller may have set, must not choose what root
 * runs. */
static int find_program(struct start *s)
{
	ssize_t n = readlink("/proc/self/exe", s->path, sizeof(s->path) - sizeof(RENDER_NAME) - 1);
	char *slash;

	if (n > 0)
		s->path[n] = '\0';
	slash = n > 0 ? strrchr(s->path, '/') : NULL;
	if (!slash)
		return err(-ENOENT, "cannot find " RENDER_NAME ", which stands beside eprof");
	strcpy(slash + 1, RENDER_NAME);
	return 0;
}

static void set_words(struct start *s, const char *const *words)
{
	size_t n = 0;

	s->argv[n++] = RENDER_NAME;
	s->argv[n++] = "for-eprof";
	if (file_given_mode()) {
		snprintf(s->mode, sizeof(s->mode), "--mode=%03o", file_given_mode() & 0777u);
		s->argv[n++] = s->mode;
	}
	while (*words && n < RENDER_WORDS + 3)
		s->argv[n++] = *words++;
	s->argv[n] = NULL;
}

/* Makes @fd descriptor @number, open across exec. */
static void place(int fd, int number)
{
	if (fd == number)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, number);
}

static void set_descriptors(const struct render_ends *e)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	/* Move it above the descriptors that are replaced. */
	const int file = e->file >= 0 ? fcntl(e->file, F_DUPFD_CLOEXEC, FILE_FD + 1) : -1;

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	place(e->out, STDOUT_FILENO);
	place(e->said, STDERR_FILENO);
	if (file >= 0)
		place(file, FILE_FD);
	close_range((unsigned)FILE_FD + (file >= 0), ~0u, 0);
}

/* The child leads its own process group: Ctrl-C is for eprof, which must still save its profile. */
static _Noreturn void exec_renderer(const struct start *s)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGXFSZ};
	sigset_t none;

	setpgid(0, 0);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		signal(ours[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	set_descriptors(s->ends);
	capabilities_pass_on();
	execv(s->path, (char *const *)s->argv);
	dprintf(STDERR_FILENO, RENDER_NAME ": cannot run '%s': %s\n", s->path, strerror(errno));
	_exit(127);
}

int render_start(const char *const *words, const struct render_ends *ends, pid_t *child)
{
	struct start s = {.ends = ends};
	int rc = find_program(&s);

	if (rc)
		return rc;
	set_words(&s, words);
	*child = child_fork();
	if (!*child)
		exec_renderer(&s);
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}

#define SAID_MOST 8192 /* limit of its messages, in bytes */
/* It limits itself to 10 minutes of CPU time, and waits up to one minute for a store that others
 * use. */
#define WALL_S 900
/* A writer prints progress at each megabyte; a full disk may be slow. */
#define SILENT_S 60
#define LOOK_MS	 250
/* How long it may take to end after it closed its output. */
#define END_MS 10000
#define NS     UINT64_C(1000000000)

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* --- its input -------------------------------------------------------------------------------- */

static int make_memory(void)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("eprof", flags | MFD_NOEXEC_SEAL);

	/* before 6.3 */
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

int render_file_room(struct render_file *f, size_t n)
{
	*f = (struct render_file){.fd = make_memory()};
	if (f->fd < 0 || ftruncate(f->fd, (off_t)n))
		return err(-errno, "cannot have anything read: %s", strerror(errno));
	return 0;
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
	bool saves;
	uint64_t at;	  /* offset in its file */
	const char *path; /* the file that it works on, whose mount may hang */
	const struct render_file *file;
	pid_t child;
	int out, said; /* ends of pipes to read from */
	int signal_fd;
	bool is_lost; /* the broker that started it is gone: its exit status is unknown */
};

static int start_by_broker(const struct run *r, const struct render_ends *e)
{
	const int fds[] = {e->file, e->out, e->said};
	int none;

	return agent_run(r->which, r->saves ? r->path : "", r->at, fds, 3, &none);
}

static int start(struct run *r)
{
	/* Above the standard streams, some of which may be closed. */
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
	rc = r->words ? render_start(r->words, &ends, &r->child) : start_by_broker(r, &ends);
	r->out = out[0];
	r->said = said[0];
	close(out[1]);
	close(said[1]);
	return rc;
}

/* --- its output ------------------------------------------------------------------------------- */

/* Appends what can be read; 0 at the end, -EFBIG past @most, or -errno. */
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

/* Reads pending signals; false: there were none. */
static bool take_signals(int fd)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (fd >= 0 && read(fd, &info, sizeof(info)) == sizeof(info))
		any = true;
	return any;
}

/* The deadline after a signal, and the error after it: *@why. */
static uint64_t end_after_signal(uint64_t end, int *why)
{
	const uint64_t grace = clock_ns(CLOCK_MONOTONIC) + RENDER_RUN_GRACE_S * NS;

	if (grace >= end)
		return end;
	*why = -EINTR;
	return grace;
}

static int poll_ms(const struct run *r, uint64_t now, uint64_t end)
{
	const uint64_t ms = (end - now) / 1000000 + 1;

	return r->path && ms > LOOK_MS ? LOOK_MS : (int)ms;
}

/* Reads until both pipes are closed. -EFBIG: too much output; -ETIMEDOUT: too late; -EINTR: after a
 * signal; -ENOLINK: its file's mount does not answer. */
static int listen_to(const struct run *r, struct answers_watch *mount, struct str *out,
		     struct str *said)
{
	const uint64_t patience = (r->saves ? SILENT_S : WALL_S) * NS;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + patience;
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
		if (answers_no_more(mount))
			return -ENOLINK;
		if (poll(p, 3, poll_ms(r, now, end)) < 0 && errno != EINTR)
			return -errno;
		if (r->saves && why == -ETIMEDOUT && p[0].revents)
			end = now + patience;
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

/* Waits for its end. -ETIMEDOUT: it was killed, but is stuck in a system call. */
static int reap(struct run *r, bool killed, int *status)
{
	if (!r->words) {
		const int rc = agent_run_end(killed, status);

		r->is_lost = rc == -ECHILD;
		return rc;
	}
	if (killed)
		kill(-r->child, SIGKILL);
	/* It may not have made its process group yet. */
	return child_await(r->child, killed ? 0 : END_MS, status, NULL);
}

/* Sets the error: its first line, without its name; else how it ended. */
static int set_error(const struct run *r, const struct str *said, int status)
{
	const char *line = str_text(said);
	const size_t name = sizeof(RENDER_NAME ": ") - 1;
	_free_ char *text = NULL;

	line += str_starts(line, RENDER_NAME ": ") ? name : 0;
	text = mem_strndup(line, strcspn(line, "\n"));
	if (*text)
		return err(-EIO, "%s", text);
	return err(-EIO, "%s %s", r->saves ? "the process that writes it" : RENDER_NAME,
		   WIFSIGNALED(status) ? ending_text(WTERMSIG(status))
				       : "failed and does not say why");
}

/* Kills it, and sets the error for @rc. */
static int give_up(const struct run *r, int rc)
{
	if (rc == -ENOLINK)
		return err(-ETIMEDOUT, "'%s' " ANSWERS_NOT, r->path);
	if (r->saves)
		return err(rc, "cannot write '%s': %s", r->path,
			   rc == -ETIMEDOUT ? "that takes too long"
			   : rc == -EINTR   ? "a signal ended that"
					    : "its process could not be listened to");
	return err(rc, RENDER_NAME " %s",
		   rc == -ETIMEDOUT ? "takes too long, and was ended"
		   : rc == -EINTR   ? "was ended by a signal"
		   : rc == -EFBIG   ? "says too much, and was ended"
				    : "could not be listened to, and was ended");
}

static int finish(struct run *r, struct str *out)
{
	struct answers_watch mount = {.path = r->path};
	struct str said = {0};
	int status = 0, rc = listen_to(r, &mount, out, &said);
	const int end = reap(r, rc != 0, &status);

	if (end == -ETIMEDOUT && (!rc || rc == -EINTR))
		rc = r->path ? -ENOLINK : -ETIMEDOUT;
	if (rc)
		rc = give_up(r, rc);
	else if (end || status)
		rc = set_error(r, &said, status);
	answers_watch_end(&mount);
	str_release(&said);
	return rc;
}

static int run(struct run *r, struct str *out)
{
	struct str nothing = {0};
	int rc;

	/* Earlier signals were meant for what was done then. */
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

/* Runs it again if the broker was lost, unless it has completed: its output ends with @done, or, if
 * that is NUL, is not empty. */
static int run_by_broker(struct run *r, char done, struct str *out)
{
	const size_t before = out->n;
	int rc;

	r->out = r->said = -1;
	rc = run(r, out);
	if (!r->is_lost || rc == -EINTR)
		return rc;
	if (out->n > before && (!done || out->s[out->n - 1] == done))
		return 0;
	r->out = r->said = -1;
	return run(r, out);
}

int render_run_by_broker(uint32_t which, const char *path, const struct render_file *file,
			 int signal_fd, struct str *out)
{
	struct run r = {.which = which, .path = path, .file = file, .signal_fd = signal_fd};

	return run_by_broker(&r, '\0', out);
}

int render_save_by_broker(uint32_t which, const char *path, uint64_t at,
			  const struct render_file *file, int signal_fd)
{
	struct run r = {.which = which,
			.saves = true,
			.path = path,
			.at = at,
			.file = file,
			.signal_fd = signal_fd};
	struct str done = {0};
	const int rc = run_by_broker(&r, RENDER_SAVED, &done);

	str_release(&done);
	return rc;
}
