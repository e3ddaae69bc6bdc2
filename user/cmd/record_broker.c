#include "cmd/record_broker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/answers.h"
#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/window_file.h"
#include "broker/agent.h"
#include "broker/broker.h"
#include "cmd/record_save.h"
#include "cmd/render_run.h"
#include "cmd/unprivileged.h"
#include "confine/capabilities.h"
#include "confine/confine.h"

#define GIT	  "/usr/bin/git"
#define GIT_CPU_S 5

/* Runs without our environment, and with configuration that keeps git from starting any program or
 * thread. (So changes within a submodule are not seen.) */
static _Noreturn void run_git(const char *folder, int out)
{
	const struct rlimit cpu = {GIT_CPU_S, GIT_CPU_S}, none = {0, 0};
	const int null = open("/dev/null", O_RDWR);
	const char *const argv[] = {"git",
				    "-c",
				    "core.fsmonitor=false",
				    "-c",
				    "core.hooksPath=/dev/null",
				    "-c",
				    "core.preloadIndex=false",
				    "-c",
				    "index.threads=1",
				    "-c",
				    "diff.ignoreSubmodules=dirty",
				    "-C",
				    folder,
				    "describe",
				    "--tags",
				    "--dirty",
				    NULL};
	const char *const environment[] = {"PATH=/usr/bin:/bin",
					   "HOME=/nonexistent",
					   "LC_ALL=C",
					   "GIT_CONFIG_NOSYSTEM=1",
					   "GIT_CONFIG_GLOBAL=/dev/null",
					   "GIT_OPTIONAL_LOCKS=0",
					   "GIT_TERMINAL_PROMPT=0",
					   NULL};

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0 ||
	    cmd_become_reader() || cmd_is_nobody() || setrlimit(RLIMIT_CPU, &cpu) ||
	    setrlimit(RLIMIT_NPROC, &none))
		_exit(1);
	child_tie();
	/* A process group of its own: what git starts is killed with it, and Ctrl-C is not for
	 * it. */
	setpgid(0, 0);
	execve(GIT, (char *const *)argv, (char *const *)environment);
	_exit(1);
}

/* Starts git as the user behind sudo. *@child leads its own process group and prints to @out; it
 * exits with 1 if there is no such user. 0, or a negative errno with a text. */
static int git_start(const char *folder, int out, pid_t *child)
{
	*child = child_fork();
	if (!*child)
		run_git(folder, out);
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}

struct file_job {
	enum record_program what; /* RECORD_SAVE or one after it */
	const char *path;
	bool force;		     /* for RECORD_SAVE */
	struct window_file *windows; /* for RECORD_PUT and RECORD_GET; in shared memory */
	struct window_file *saved;   /* for RECORD_SAVE, in shared memory; zeroed at first */
	uint64_t at;		     /* offset, for RECORD_PUT and RECORD_GET */
};

#define PIECE_BYTES (1u << 20)

static void send_progress(const struct render_ends *e, char what)
{
	(void)!write(e->out, &what, 1);
}

/* --- the whole profile ------------------------------------------------------------------------ */

static int copy(struct file_new *f, const struct render_ends *e)
{
	static char piece[PIECE_BYTES];
	uint64_t at = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = file_get_at(e->file, piece, sizeof(piece), at)) > 0) {
		rc = file_write(f, piece, (size_t)n);
		at += (uint64_t)n;
		send_progress(e, '.');
	}
	if (!rc && n < 0)
		rc = err((int)n, "cannot write '%s': %s", f->path, strerror((int)-n));
	return rc;
}

static bool is_saved(const struct file_job *h)
{
	const struct window_file *s = h->saved;
	struct stat st;

	return s->is_made && !lstat(h->path, &st) && st.st_dev == s->dev && st.st_ino == s->ino;
}

static int save(const struct file_job *h, const struct render_ends *e)
{
	struct file_new f;
	struct stat st;
	int rc;

	if (is_saved(h))
		return 0;
	rc = file_begin(&f, h->path, h->force);
	if (rc)
		return rc;
	rc = copy(&f, e);
	if (!rc && !fstat(f.fd, &st))
		*h->saved = (struct window_file){true, st.st_dev, st.st_ino};
	/* Our parent is gone: nobody would learn of the file. */
	if (!rc && child_is_orphan())
		rc = -ESRCH;
	if (rc) {
		file_drop(&f);
		return rc;
	}
	return file_commit(&f);
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Maps the bytes that the loader handed over. */
static int map(const struct file_job *h, const struct render_ends *e, int rights, void **bytes,
	       size_t *n)
{
	struct stat st;

	*bytes = MAP_FAILED;
	if (!fstat(e->file, &st) && st.st_size > 0)
		*bytes = mmap(NULL, (size_t)st.st_size, rights,
			      rights & PROT_WRITE ? MAP_SHARED : MAP_PRIVATE, e->file, 0);
	*n = (size_t)st.st_size;
	return *bytes != MAP_FAILED ? 0 : err(-EINVAL, "cannot get at the bytes of '%s'", h->path);
}

static int put(const struct file_job *h, const struct render_ends *e)
{
	void *bytes;
	size_t n;
	const int rc = map(h, e, PROT_READ, &bytes, &n);

	if (rc)
		return rc;
	return child_is_orphan() ? -ESRCH : window_file_put(h->windows, h->path, bytes, n, h->at);
}

static int get(const struct file_job *h, const struct render_ends *e)
{
	void *bytes;
	size_t n;
	const int rc = map(h, e, PROT_READ | PROT_WRITE, &bytes, &n);

	return rc ? rc : window_file_get(h->windows, h->path, bytes, n, h->at);
}

/* --- the process ------------------------------------------------------------------------------ */

static int remove_file(const struct file_job *h)
{
	return unlink(h->path) && errno != ENOENT
		       ? err(-errno, "cannot remove '%s': %s", h->path, strerror(errno))
		       : 0;
}

static int work(const struct file_job *h, const struct render_ends *e)
{
	switch (h->what) {
	case RECORD_SAVE:
		return save(h, e);
	case RECORD_PUT:
		return put(h, e);
	case RECORD_GET:
		return get(h, e);
	case RECORD_REMOVE:
		return remove_file(h);
	default:
		return err(-EACCES, "there is no such work");
	}
}

static _Noreturn void run_file_job(const struct file_job *h, const struct render_ends *e)
{
	int keep[] = {e->file, e->out, e->said};
	int rc;

	setpgid(0, 0);
	confine_close(keep, 3);
	rc = work(h, e);
	if (rc)
		dprintf(e->said, "%s\n", err_text());
	else
		send_progress(e, RENDER_SAVED);
	_exit(rc ? 1 : 0);
}

/* Starts a process that works on one file. RECORD_SAVE writes the bytes of @e->file to @path, as
 * file_begin() and file_commit() do, unless an earlier such process did so and ended before it
 * could report it. RECORD_PUT and RECORD_GET: window_file_put() of these bytes,
 * window_file_get() into them. RECORD_REMOVE removes the file, if it exists.
 *
 * The process prints '.' for progress, and RENDER_SAVED (render_run.h) at the end; an error's
 * text to @e->said. *@child leads its own process group. 0, or a negative errno with a text. */
static int file_job_start(const struct file_job *h, const struct render_ends *e, pid_t *child)
{
	*child = child_fork();
	if (!*child)
		run_file_job(h, e);
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}

/* How long the broker may take to remove unfinished files. */
#define END_MS	5000
#define LOOK_MS 100

struct plan {
	const struct record_places *at;
	const struct record_baseline *baseline;
	struct spare_notes *notes;
	struct window_file *windows; /* shared with the processes that work on it */
	struct window_file *saved;   /* the same for the profile */
	pid_t owner;
	int owner_fd;
};

/* --- the process ------------------------------------------------------------------------------ */

static int start_adding(const struct plan *p, const struct render_ends *e, pid_t *child)
{
	const char *const words[] = {"add", p->at->store, RENDER_FILE, NULL};

	return p->at->store ? render_start(words, e, child) : -EACCES;
}

static int start_comparing(const struct plan *p, const struct render_ends *e, pid_t *child)
{
	const struct record_baseline *b = p->baseline;
	char fail_on[FAIL_ON_BUF];
	const char *const words[] = {
		"compare",   b->file ? "baseline" : "store",	 b->file ? b->file : b->store,
		RENDER_FILE, fail_on_text(&b->fail_on, fail_on), b->version,
		NULL};

	return b->file || b->store ? render_start(words, e, child) : -EACCES;
}

/* The broker's last process that worked on the file of windows. */
static pid_t part_worker;

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Whether such a process is stuck in the folder of @path: another would be, too. */
static bool is_stuck(const struct broker *b, const char *path)
{
	const struct plan *p = b->plan;
	const size_t n = folder_length(path);

	return part_worker && b->stuck == part_worker && n == folder_length(p->at->part) &&
	       !strncmp(path, p->at->part, n) && !waitpid(part_worker, NULL, WNOHANG);
}

static int start_file_job(const struct broker *b, const struct request *r,
			  const struct render_ends *e, pid_t *child)
{
	const struct plan *p = b->plan;
	const struct allowed_file *f = allowed_find(b->allowed, r->path, ALLOWED_TO_MAKE);
	const struct file_job h = {.what = r->flags,
				   .path = f ? f->path : NULL,
				   .force = f && f->force,
				   .windows = p->windows,
				   .saved = p->saved,
				   .at = r->at};
	const bool of_windows = f && f->use == ALLOWED_MAKE_FOR_NOW;
	int rc;

	if (!f || of_windows == (r->flags == RECORD_SAVE))
		return -EACCES;
	if (is_stuck(b, f->path))
		return err(-ETIMEDOUT, "'%s' " ANSWERS_NOT, f->path);
	rc = file_job_start(&h, e, child);
	if (!rc && of_windows)
		part_worker = *child;
	return rc;
}

static int start_program(struct broker *b, const struct request *r, const int *fds, int *out,
			 pid_t *child)
{
	const struct render_ends ends = {fds[0], fds[1], fds[2]};
	const bool for_render = fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0;
	int rc = -EACCES;

	(void)out;
	if (r->flags == RECORD_ADD && for_render)
		rc = start_adding(b->plan, &ends, child);
	else if (r->flags == RECORD_COMPARE && for_render)
		rc = start_comparing(b->plan, &ends, child);
	else if (r->flags >= RECORD_SAVE && r->flags <= RECORD_REMOVE && for_render)
		rc = start_file_job(b, r, &ends, child);
	else if (r->flags == RECORD_GIT && fds[0] >= 0 && r->path[0] == '/')
		rc = git_start(r->path, fds[0], child);
	return rc == -EACCES ? err(rc, "cannot run a program: the command line has none such") : rc;
}

static void allow(struct allowed *a, const struct record_places *at)
{
	if (at->output)
		allowed_add(a, ALLOWED_MAKE, at->output, at->force);
	allowed_add(a, ALLOWED_MAKE_FOR_NOW, at->part, true);
	for (size_t i = 0; i < at->n_elsewhere; i++)
		allowed_add(a, ALLOWED_MAKE, at->elsewhere[i], false);
}

/* Keeps the working directory: paths may be relative. @first_fd: see struct spare. */
static _Noreturn void run(const struct plan *p, int socket, int first_fd)
{
	struct allowed allowed = {0};
	struct broker b = {.allowed = &allowed,
			   .socket = socket,
			   .owner = p->owner,
			   .owner_fd = p->owner_fd,
			   .spare = {.notes = p->notes, .first_fd = first_fd},
			   .plan = p,
			   .start = start_program};
	int keep[] = {socket, p->owner_fd, first_fd};

	/* A process group of its own: Ctrl-C is not for it. */
	setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	confine_silence();
	confine_close(keep, first_fd ? 3 : 2);
	allow(&allowed, p->at);
	if (capabilities_keep(CAPABILITIES_BROKER))
		_exit(1);
	broker_serve_all(&b);
	broker_end(&b);
	_exit(0);
}

/* --- the loader ------------------------------------------------------------------------------- */

/* Returns its pid, and in *@socket the socket for requests. */
static pid_t start(const struct plan *p, int first_fd, int *socket)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err(-errno, "cannot make a socket: %s", strerror(errno));
	pid = child_fork();
	if (!pid)
		run(p, ends[1], first_fd);
	close(ends[1]);
	*socket = ends[0];
	if (pid > 0)
		return pid;
	close(ends[0]);
	return err(-errno, "cannot start a process: %s", strerror(errno));
}

/* Start both before this process makes files through them. */
static int start_both(const struct plan *p, struct record_broker *b)
{
	_close_ int first_fd = -1;
	int first, spare, rc;

	b->first = start(p, 0, &first);
	if (b->first < 0)
		return b->first;
	first_fd = pidfd_open(b->first, 0);
	b->spare = first_fd < 0 ? err(-errno, "cannot watch a process: %s", strerror(errno))
				: start(p, first_fd, &spare);
	agent_begin(first, false);
	if (b->spare > 0) {
		agent_use_spare(b->first, spare, b->spare);
		return 0;
	}
	rc = b->spare;
	b->spare = 0;
	record_broker_end(b);
	return rc;
}

int record_broker_start(const struct record_places *at, const struct record_baseline *baseline,
			struct record_broker *b)
{
	_close_ int own_fd = pidfd_open(getpid(), 0);
	const struct plan plan = {.at = at,
				  .baseline = baseline,
				  .notes = spare_notes_new(),
				  .windows = mem_shared(1, sizeof(struct window_file)),
				  .saved = mem_shared(1, sizeof(struct window_file)),
				  .owner = getpid(),
				  .owner_fd = own_fd};
	int rc;

	*b = (struct record_broker){0};
	rc = own_fd < 0 ? err(-errno, "cannot watch a process: %s", strerror(errno))
			: start_both(&plan, b);
	/* Only the two brokers use it. */
	spare_notes_release(plan.notes);
	munmap(plan.windows, sizeof(*plan.windows));
	munmap(plan.saved, sizeof(*plan.saved));
	return rc;
}

/* Waits for a limited time. A stopped broker ends with the spare, or when this process does: the
 * kernel ends stopped process groups that become orphaned (setpgid(2)). */
static void wait_for(pid_t pid)
{
	_close_ int fd = pid > 0 ? pidfd_open(pid, 0) : -1;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (int i = 0; fd >= 0 && i < END_MS / LOOK_MS && poll(&p, 1, LOOK_MS) <= 0; i++)
		if (child_is_stopped(pid))
			return;
	if (fd >= 0)
		(void)child_await(pid, 0, NULL, NULL);
}

void record_broker_end(const struct record_broker *b)
{
	agent_finish();
	wait_for(b->first);
	agent_finish();
	wait_for(b->spare);
}
