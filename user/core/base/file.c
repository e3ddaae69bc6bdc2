#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static const struct file_agent *agent;

void file_use_agent(const struct file_agent *a)
{
	agent = a;
}

const struct file_agent *file_agent(void)
{
	return agent;
}

int file_open(const char *path, int flags)
{
	return agent && agent->open ? agent->open(path, flags) : open(path, flags);
}

void file_done(int fd)
{
	if (fd >= 0)
		close(fd);
	if (agent && agent->done)
		agent->done();
}

/* Reads the rest of @fd: at most @max bytes and one, which tells that there are more. */
static ssize_t read_up_to(int fd, size_t max, char **text)
{
	size_t n = 0, cap = 0;

	while (n <= max) {
		ssize_t got;

		if (n + 1 >= cap) {
			cap = cap ? 2 * cap : 4096;
			*text = mem_realloc(*text, cap, 1);
		}
		got = read(fd, *text + n, cap - n - 1 < max + 1 - n ? cap - n - 1 : max + 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += got;
	}
	(*text)[n] = 0;
	return n;
}

int file_read(const char *path, size_t max_bytes, char **text, size_t *n)
{
	/* So that a FIFO in the place of a file does not block us. */
	_close_ int fd = file_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_free_ char *buf = NULL;
	ssize_t got;

	if (fd < 0)
		return err(-errno, "cannot open '%s': %s", path, strerror(errno));
	got = read_up_to(fd, max_bytes < SSIZE_MAX ? max_bytes : SSIZE_MAX - 1, &buf);
	if (got < 0)
		return err((int)got, "cannot read '%s': %s", path, strerror((int)-got));
	if ((size_t)got > max_bytes)
		return err(-EFBIG, "'%s' is larger than %zu bytes", path, max_bytes);
	*text = buf;
	*n = got;
	buf = NULL;
	return 0;
}

char *file_link(const char *link)
{
	char path[PATH_MAX];
	const ssize_t n = readlink(link, path, sizeof(path) - 1);

	return n > 0 ? mem_strndup(path, (size_t)n) : NULL;
}

char *file_path(int fd)
{
	_free_ char *link = mem_printf("/proc/self/fd/%d", fd);

	return file_link(link);
}

int file_reopen(int path_fd)
{
	_free_ char *link = mem_printf("/proc/self/fd/%d", path_fd);
	const int fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int file_reopen_regular(int path_fd)
{
	struct stat st;

	return fstat(path_fd, &st) || !S_ISREG(st.st_mode) ? -EINVAL : file_reopen(path_fd);
}

/* @at -1: at the file's position. */
static int put(int fd, const char *data, size_t n, off_t at)
{
	while (n) {
		const ssize_t done = at < 0 ? write(fd, data, n) : pwrite(fd, data, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		data += done;
		at += at < 0 ? 0 : done;
		n -= (size_t)done;
	}
	return 0;
}

int file_put(int fd, const void *data, size_t n)
{
	return put(fd, data, n, -1);
}

int file_put_at(int fd, const void *data, size_t n, uint64_t at)
{
	return put(fd, data, n, (off_t)at);
}

ssize_t file_get_at(int fd, void *data, size_t n, uint64_t at)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t got = pread(fd, (char *)data + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

bool file_is(const struct stat *st, const char *path)
{
	struct stat there;

	return !stat(path, &there) && there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

static bool stat_opened(const char *path, struct stat *st)
{
	_close_ int fd = file_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 && !fstat(fd, st);
}

bool file_opens(const char *path, const struct stat *st)
{
	struct stat now;

	return stat_opened(path, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

bool file_same(const char *a, const char *b)
{
	struct stat st;

	return stat_opened(a, &st) && file_opens(b, &st);
}

void file_hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int file_flush(FILE *out, const char *name)
{
	/* The errno of an earlier write is lost, but one more byte fails for the same reason. */
	const bool failed = ferror(out);

	if (fflush(out) == EOF || (failed && write(fileno(out), "\n", 1) < 0))
		return err(-errno, "cannot write '%s': %s", name, strerror(errno));
	if (failed)
		return err(-EIO, "cannot write '%s': the output is incomplete", name);
	return 0;
}
