#include "cmd/as_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/ending.h"
#include "base/err.h"
#include "base/mem.h"
#include "confine/confine.h"
#include "cmd/unprivileged.h"

#define TEXT_MOST 4096
#define CPU_S	  600

/* What the child has to say. */
struct answer {
	int rc;
	char text[TEXT_MOST];
};

/* The text with @name for each @alias in it. */
static void put_text(struct answer *a, const char *text, const char *alias, const char *name)
{
	FILE *out = fmemopen(a->text, sizeof(a->text), "w");

	for (const char *at; out && (at = strstr(text, alias)); text = at + strlen(alias))
		fprintf(out, "%.*s%s", (int)(at - text), text, name);
	if (out) {
		fputs(text, out);
		fclose(out);
	}
}

static int write_all(int fd, const void *at, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t more = write(fd, (const char *)at + done, n - done);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return -EIO;
		done += (size_t)more;
	}
	return 0;
}

static _Noreturn void answer(int fd, int rc, const struct str *said, const char *alias,
			     const char *path)
{
	struct answer a = {.rc = rc};

	if (rc)
		put_text(&a, err_text(), alias, path);
	if (write_all(fd, &a, sizeof(a)) || write_all(fd, str_text(said), said->n))
		_exit(1);
	_exit(0);
}

/* Up to @n bytes; fewer where there are no more. */
static size_t read_all(int fd, void *at, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t more = read(fd, (char *)at + done, n - done);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			break;
		done += (size_t)more;
	}
	return done;
}

/* What libc says of a damaged heap is nothing for users; there is no time without end, and no core
 * file of what a stranger wrote. */
static void limit_child(void)
{
	const struct rlimit none = {0, 0};
	_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &none);
	confine_cpu(CPU_S);
}

/* *@died: the child did before it had answered. */
static int read_answer(int fd, const char *path, struct str *out, bool *died)
{
	struct answer a = {0};
	char buf[16384];
	size_t n, before = out->n;

	*died = read_all(fd, &a, sizeof(a)) != sizeof(a);
	if (*died)
		return -EIO;
	a.text[sizeof(a.text) - 1] = 0;
	if (a.rc)
		return err(a.rc < 0 ? a.rc : -EIO, "%s", a.text);
	while ((n = read_all(fd, buf, sizeof(buf))) > 0) {
		str_addn(out, buf, n);
		if (out->n - before > AS_OWNER_BYTES)
			return err(-EFBIG, "'%s' cannot be read: what reads it says too much",
				   path);
	}
	return 0;
}

/* What the child is for. */
struct job {
	const char *path;
	int flags; /* of open(2) */
	as_owner_read *fn;
	const void *arg;
};

/* No BPF map or perf event for what may take this process over. */
static void close_others(int a, int b)
{
	const int low = a < b ? a : b, high = a < b ? b : a;

	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0u, 0);
}

static _Noreturn void run_child(const struct job *job, int file, const struct stat *owner, int fd)
{
	close_others(file, fd);
	_free_ char *alias = mem_printf("/proc/self/fd/%d", file);
	struct str said = {0};
	int rc;

	limit_child();
	rc = cmd_become(owner->st_uid, owner->st_gid);
	child_tie();
	rc = rc ? err(rc, "cannot take the rights of the owner of '%s'", job->path)
		: job->fn(alias, job->arg, &said);
	answer(fd, rc, &said, alias, job->path);
}

static int run(const struct job *job, struct str *out)
{
	/* The owner may be unable to reach the file, in a folder of others': it is opened before,
	 * and by that once more. */
	_close_ int file = open(job->path, job->flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat owner;
	int fds[2], rc, status = 0;
	bool died = false;
	pid_t child;

	if (file < 0 && errno == ENOENT)
		return job->fn(job->path, job->arg, out);
	if (file < 0 || fstat(file, &owner))
		return err(-errno, "cannot open '%s' to %s it: %s", job->path,
			   job->flags == O_RDONLY ? "read" : "change", strerror(errno));
	if (pipe(fds))
		return err(-errno, "cannot make a pipe: %s", strerror(errno));
	child = child_fork();
	if (!child) {
		close(fds[0]);
		run_child(job, file, &owner, fds[1]);
	}
	close(fds[1]);
	rc = child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno))
		       : read_answer(fds[0], job->path, out, &died);
	/* A child that says too much ends with SIGPIPE. */
	close(fds[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (died)
		return err(-EIO, "'%s' is damaged: reading it %s", job->path,
			   WIFSIGNALED(status) ? ending_text(WTERMSIG(status)) : "failed");
	return rc;
}

int cmd_read_as_owner(const char *path, as_owner_read *fn, const void *arg, struct str *out)
{
	return run(&(struct job){path, O_RDONLY, fn, arg}, out);
}

/* One that has nothing to tell. */
struct silent {
	int (*fn)(const char *path, const void *arg);
	const void *arg;
};

static int run_silent(const char *path, const void *arg, struct str *out)
{
	const struct silent *s = arg;

	(void)out;
	return s->fn(path, s->arg);
}

int cmd_as_owner(const char *path, int (*fn)(const char *path, const void *arg), const void *arg)
{
	const struct silent silent = {fn, arg};
	struct str nothing = {0};
	int rc = run(&(struct job){path, O_RDWR, run_silent, &silent}, &nothing);

	str_release(&nothing);
	return rc;
}
