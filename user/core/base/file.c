#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/err.h"
#include "base/leftover.h"
#include "base/mem.h"

#define TEMP_TRIES 8

/* Of the process, like its rights. */
static const struct file_agent *agent;
static mode_t given_mode; /* 0: none */

void file_use_agent(const struct file_agent *a)
{
	agent = a;
}

int file_open(const char *path, int flags)
{
	return agent ? agent->open(path, flags) : open(path, flags);
}

void file_done(int fd)
{
	if (fd >= 0)
		close(fd);
	if (agent)
		agent->done();
}

/* All that @fd still gives, up to @max bytes and one more to know that there is more. */
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
	/* Not blocking: a FIFO in the place of a file shall not hold us. */
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

/* The folder of @path, without the last '/'. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_strndup(path, slash == path ? 1 : slash - path);
}

static int check_existing(const char *path, bool force)
{
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return 0;
		return err(-errno, "cannot make '%s': %s", path, strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		return err(-EISDIR, "cannot make '%s': it is a folder", path);
	if (!S_ISREG(st.st_mode))
		return err(-EEXIST, "cannot make '%s': it exists and is no regular file", path);
	if (!force)
		return err(-EEXIST, "'%s' exists already: give another name, or --force", path);
	return 0;
}

int file_check_new(const char *path, bool force)
{
	_free_ char *folder = folder_of(path);
	size_t n = strlen(path);
	struct stat st;

	if (!n || path[n - 1] == '/')
		return err(-EINVAL, "cannot make '%s': it is no name of a file", path);
	if (stat(folder, &st))
		return err(-errno, "cannot make '%s': folder '%s': %s", path, folder,
			   strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err(-ENOTDIR, "cannot make '%s': '%s' is no folder", path, folder);
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		return err(-errno, "cannot make '%s': folder '%s' is not writable: %s", path,
			   folder, strerror(errno));
	return check_existing(path, force);
}

/* Gives an open file to the user who called root; else does nothing. */
static void give_to_caller(int fd)
{
	const struct caller c = caller();

	if (c.is_other)
		(void)!fchown(fd, c.uid, c.gid);
}

int file_use_mode(const char *octal)
{
	mode_t mode = 0;
	size_t n = 0;

	for (; n < 5 && octal[n] >= '0' && octal[n] <= '7'; n++)
		mode = mode << 3 | (mode_t)(octal[n] - '0');
	if (!n || octal[n] || (mode & 0600) != 0600 || mode & ~0666u)
		return err(-EINVAL,
			   "--mode '%s' is no octal mode that lets the owner read and write, and "
			   "nobody execute: 600, 640, 644",
			   octal);
	given_mode = mode;
	return 0;
}

mode_t file_given_mode(void)
{
	return given_mode;
}

/* Of what is to stand at @path, before the umask. */
static mode_t mode_at(const char *path)
{
	const mode_t most = caller_had_rights() ? 0600 : 0666;
	struct stat there;

	if (lstat(path, &there) || !S_ISREG(there.st_mode))
		return most;
	return most & (there.st_mode | 0600);
}

int file_make_folder(const char *path)
{
	const mode_t enter = (given_mode & 0444) >> 2; /* who may read may enter */
	_close_ int fd = -1;

	if (mkdir(path, given_mode || caller_had_rights() ? 0700 : 0777))
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (given_mode)
		(void)!fchmod(fd, given_mode | enter);
	give_to_caller(fd);
	return 0;
}

static int ask_begin(struct file_new *f, const char *path)
{
	f->number = agent->begin(path, f->force, f->keeps_owner, &f->fd);
	if (f->number < 0)
		return f->number;
	f->path = mem_strdup(path);
	return 0;
}

static int begin(struct file_new *f, const char *path)
{
	_free_ char *folder = folder_of(path);
	int rc = file_check_new(path, f->force);

	if (rc)
		return rc;
	leftover_remove(folder);
	for (int i = 0; f->fd < 0 && i < TEMP_TRIES; i++) {
		free(f->temp);
		f->temp = leftover_name(folder);
		f->fd = open(f->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			     given_mode ? 0600 : mode_at(path));
		if (f->fd < 0 && errno != EEXIST)
			break;
		if (f->fd >= 0 && !leftover_lock(f->fd)) {
			close(f->fd);
			f->fd = -1;
			errno = EAGAIN;
		}
	}
	if (f->fd < 0) {
		rc = err(-errno, "cannot write in folder '%s': %s", folder, strerror(errno));
		free(f->temp);
		f->temp = NULL;
		return rc;
	}
	f->path = mem_strdup(path);
	if (given_mode)
		(void)!fchmod(f->fd, given_mode);
	give_to_caller(f->fd);
	return 0;
}

int file_begin(struct file_new *f, const char *path, bool force)
{
	*f = (struct file_new){.fd = -1, .force = force};
	return agent ? ask_begin(f, path) : begin(f, path);
}

int file_begin_again(struct file_new *f, const char *path)
{
	*f = (struct file_new){.fd = -1, .force = true, .keeps_owner = true};
	return agent ? ask_begin(f, path) : begin(f, path);
}

int file_put(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

int file_put_at(int fd, const void *data, size_t n, uint64_t at)
{
	const char *from = data;

	while (n) {
		ssize_t put = pwrite(fd, from, n, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		from += put;
		at += (size_t)put;
		n -= (size_t)put;
	}
	return 0;
}

int file_write(struct file_new *f, const void *data, size_t n)
{
	int ret = file_put(f->fd, data, n);

	return ret ? err(ret, "cannot write '%s': %s", f->path, strerror(-ret)) : 0;
}

/* The temporary name becomes the final one, which must not exist. Not every file system knows
 * RENAME_NOREPLACE; a hard link refuses as well. */
static int rename_fresh(const char *temp, const char *path)
{
	if (!renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (link(temp, path))
		return -errno;
	unlink(temp);
	return 0;
}

/* Makes the name itself last. What cannot be synced (some network file systems) is no error. */
static void sync_folder(const char *path)
{
	_free_ char *folder = folder_of(path);
	_close_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)!fsync(fd);
}

static void keep_owner(const struct file_new *f)
{
	struct stat st;

	if (lstat(f->path, &st) || !S_ISREG(st.st_mode))
		return;
	(void)!fchown(f->fd, st.st_uid, st.st_gid);
	(void)!fchmod(f->fd, st.st_mode & 0666);
}

/* Gives the temporary file its name. */
static int settle(struct file_new *f)
{
	int rc;

	if (f->keeps_owner)
		keep_owner(f);

	if (fsync(f->fd))
		return err(-errno, "cannot write '%s': %s", f->path, strerror(errno));
	rc = check_existing(f->path, f->force);
	if (rc)
		return rc;
	if (f->force)
		rc = rename(f->temp, f->path) ? -errno : 0;
	else
		rc = rename_fresh(f->temp, f->path);
	if (rc)
		return err(rc, "cannot make '%s': %s", f->path, strerror(-rc));
	leftover_unlock(f->fd);
	return 0;
}

static int ask_end(struct file_new *f, bool commit)
{
	int rc = agent->end(f->number, commit);

	close(f->fd);
	free(f->path);
	*f = (struct file_new){.fd = -1};
	return rc;
}

int file_commit(struct file_new *f)
{
	int rc;

	if (agent)
		return ask_end(f, true);
	rc = settle(f);

	if (rc == 0) {
		sync_folder(f->path);
		free(f->temp);
		f->temp = NULL;
	}
	file_drop(f);
	return rc;
}

void file_drop(struct file_new *f)
{
	if (agent && f->path) {
		ask_end(f, false);
		return;
	}
	if (f->path && f->fd >= 0)
		close(f->fd);
	if (f->temp)
		unlink(f->temp);
	free(f->path);
	free(f->temp);
	*f = (struct file_new){.fd = -1};
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
	/* Why an earlier write failed is not known by now; one byte more fails for the same reason.
	 */
	const bool failed = ferror(out);

	if (fflush(out) == EOF || (failed && write(fileno(out), "\n", 1) < 0))
		return err(-errno, "cannot write '%s': %s", name, strerror(errno));
	if (failed)
		return err(-EIO, "cannot write '%s': the output is incomplete", name);
	return 0;
}
