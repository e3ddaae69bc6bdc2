#include "sandbox/exporter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/mem.h"
#include "confine/confine.h"

extern char **environ;

#define MEMORY_BYTES (8ull << 30)
#define CPU_S	     600
#define COPY_BYTES   (2ll << 30) /* of a trace in memory */
/* Its descriptors: the trace behind the streams; itself behind all that it opens. */
/* How long its end may take once it has closed its output, or could not start. */
#define END_MS 10000

#define INPUT_FD   3
#define PROGRAM_FD 1023

/* What the child needs, all of it opened before. */
struct start {
	int program, input, null, out;
	int failed; /* where it says that it could not begin: an error number */
	const sigset_t *mask;
};

/* --- what it runs, and on what ------------------------------------------------------------------
 */

/* Of the PATH's folders; relative ones mean nothing here. A descriptor, or -errno. */
static int find_program(void)
{
	const char *at = getenv("PATH");
	int found = -ENOENT;

	for (size_t n; at && *at; at += n + (at[n] == ':')) {
		_free_ char *path = NULL;
		int fd;

		n = strcspn(at, ":");
		path = mem_printf("%.*s/" EXPORTER, (int)n, at);
		fd = *at == '/' ? open(path, O_PATH | O_CLOEXEC) : -1;
		if (fd >= 0 && !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
			return fd;
		if (fd >= 0) {
			found = -EACCES;
			close(fd);
		}
	}
	return found;
}

static int no_program(const char *path, int error)
{
	if (error == -ENOENT)
		return err(-ENOENT,
			   "'%s' can only be read by Tracy's " EXPORTER
			   ", which is not on the PATH: install it, or run it elsewhere (" EXPORTER
			   " -u FILE >FILE.csv) and import that",
			   path);
	return err(error, "cannot run " EXPORTER ": %s", strerror(-error));
}

/* A sealed copy in memory of all of @fd, open for reading. */
static int copy(int fd, off_t bytes)
{
	_close_ int to = memfd_create("trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char path[32];
	int opened;

	for (off_t at = 0; to >= 0 && at < bytes;) {
		const ssize_t n = sendfile(to, fd, &at, (size_t)(bytes - at));

		if (n <= 0)
			return n ? -errno : -EIO;
	}
	if (to < 0 || fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW))
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	opened = open(path, O_RDONLY | O_CLOEXEC);
	return opened < 0 ? -errno : opened;
}

/* The trace, open so that it can be opened again by nobody, which root's exporter becomes. */
static int open_trace(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int opened = fd;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err(-errno, "cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err(-EINVAL, "'%s' is no regular file: " EXPORTER " needs one", path);
	if (geteuid() || st.st_mode & S_IROTH) {
		fd = -1;
		return opened;
	}
	if (st.st_size > COPY_BYTES)
		return err(-EFBIG,
			   "'%s' is for its owner alone, and too large to be copied for " EXPORTER
			   ", which does not run as root: import it as the user whose it is",
			   path);
	opened = copy(fd, st.st_size);
	return opened < 0 ? err(opened, "cannot copy '%s': %s", path, strerror(-opened)) : opened;
}

/* --- in the child
 * --------------------------------------------------------------------------------- */

/* The number that the program gets: as high as may be. */
static int program_fd(void)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur > PROGRAM_FD)
		return PROGRAM_FD;
	return (int)now.rlim_cur - 1;
}

/* Copies of all descriptors, behind the numbers that these will get. */
static void set_descriptors(const struct start *s, int program, int failed)
{
	const int out = fcntl(s->out, F_DUPFD_CLOEXEC, INPUT_FD + 1);
	const int input = fcntl(s->input, F_DUPFD_CLOEXEC, INPUT_FD + 1);
	const int null = fcntl(s->null, F_DUPFD_CLOEXEC, INPUT_FD + 1);

	dup3(s->program, program, O_CLOEXEC);
	dup3(s->failed, failed, O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(input, INPUT_FD);
	close_range(INPUT_FD + 1, (unsigned)failed - 1, 0);
	close_range((unsigned)program + 1, ~0u, 0);
}

static _Noreturn void become(const struct start *s)
{
	static const char *const argv[] = {EXPORTER, "-u", "--", "/proc/self/fd/3", NULL};
	const int program = program_fd(), failed = program - 1;
	const struct confine_terms terms = {.kind = CONFINE_TOOL,
					    .socket = -1,
					    .memory_bytes = MEMORY_BYTES,
					    .cpu_s = CPU_S,
					    .program = program,
					    .input = INPUT_FD};
	int error;

	set_descriptors(s, program, failed);
	sigprocmask(SIG_SETMASK, s->mask, NULL);
	error = -confine_enter(&terms);
	if (!error) {
		syscall(SYS_execveat, program, "", argv, environ, AT_EMPTY_PATH);
		error = errno;
	}
	(void)!write(failed, &error, sizeof(error));
	_exit(1);
}

/* --- here
 * ----------------------------------------------------------------------------------------- */

/* 0 when it runs, else the error. */
static int begin(const struct start *s, int said, pid_t *pid)
{
	int error = 0;
	ssize_t n;

	*pid = child_fork();
	if (!*pid)
		become(s);
	close(s->failed);
	if (*pid < 0)
		return -errno;
	do
		n = read(said, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	if (n == sizeof(error)) {
		(void)child_await(*pid, END_MS, NULL, NULL);
		return -error;
	}
	return 0;
}

/* With the pipes that it takes. */
static int run(struct start *s, int *out, pid_t *pid)
{
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int ends[2], said[2], rc;

	if (null < 0 || pipe2(ends, O_CLOEXEC))
		return -errno;
	if (pipe2(said, O_CLOEXEC)) {
		rc = -errno;
		close(ends[0]);
		close(ends[1]);
		return rc;
	}
	s->null = null;
	s->out = ends[1];
	s->failed = said[1];
	rc = begin(s, said[0], pid);
	close(ends[1]);
	close(said[0]);
	if (rc)
		close(ends[0]);
	else
		*out = ends[0];
	return rc;
}

int exporter_start(const char *path, const sigset_t *mask, int *out, pid_t *pid)
{
	_close_ int program = find_program();
	_close_ int input = -1;
	struct start s = {.program = program, .mask = mask};
	int rc;

	if (program < 0)
		return no_program(path, program);
	input = open_trace(path);
	if (input < 0)
		return input;
	s.input = input;
	rc = run(&s, out, pid);
	*pid = rc ? 0 : *pid;
	if (rc == -ENOEXEC || rc == -ENOENT)
		return err(rc, "cannot run " EXPORTER ": it is no program for this machine, or a "
			       "script, which cannot be confined");
	return rc ? no_program(path, rc) : 0;
}

int exporter_end(pid_t pid, int *status)
{
	const int rc = child_await(pid, END_MS, status, NULL);

	return rc ? err(rc, "cannot wait for " EXPORTER ": %s", strerror(-rc)) : 0;
}
