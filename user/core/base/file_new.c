#include "base/file_new.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/err.h"
#include "base/file.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/owned.h"
#include "base/str.h"

#define TEMP_TRIES 8

static mode_t given_mode; /* of the process; 0: none */

/* The folder of @path, without the last '/'. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_strndup(path, slash == path ? 1 : slash - path);
}

/* Whether a file may be made at @at, which texts call @path, despite what is there. */
static int check_existing(const char *at, const char *path, bool force)
{
	struct stat st;

	if (lstat(at, &st)) {
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

/* Opens the folder, for root, who uses names below the descriptor: others may change what leads
 * there. */
static int open_folder(const char *path, const char *folder)
{
	const int fd = owned_folder(folder);

	if (fd < 0 && errno == OWNED_ASTRAY)
		return err(-EACCES,
			   "cannot make '%s': another user made '%s' lead to a folder that is not "
			   "theirs: name that folder itself",
			   path, folder);
	return fd < 0 ? err(-errno, "cannot make '%s': folder '%s': %s", path, folder,
			    strerror(errno))
		      : fd;
}

int file_check_new(const char *path, bool force)
{
	_free_ char *folder = folder_of(path);
	_close_ int fd = -1;
	size_t n = strlen(path);
	struct stat st;

	if (!n || path[n - 1] == '/')
		return err(-EINVAL, "cannot make '%s': it is no name of a file", path);
	if (stat(folder, &st))
		return err(-errno, "cannot make '%s': folder '%s': %s", path, folder,
			   strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err(-ENOTDIR, "cannot make '%s': '%s' is no folder", path, folder);
	fd = geteuid() ? -1 : open_folder(path, folder);
	if (!geteuid() && fd < 0)
		return fd;
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		return err(-errno, "cannot make '%s': folder '%s' is not writable: %s", path,
			   folder, strerror(errno));
	return check_existing(path, path, force);
}

/* Gives an open file to the caller, if that is another user. */
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

/* The mode for a new file at @path, before the umask. */
static mode_t mode_at(const char *path)
{
	const mode_t most = caller_had_rights() ? 0600 : 0666;
	struct stat there;

	if (lstat(path, &there) || !S_ISREG(there.st_mode))
		return most;
	return most & (there.st_mode | 0600);
}

/* The name of @path, which has no '/' at its end, below the folder *@parent, which is a descriptor
 * for root; NULL and errno if nothing may be made there. */
static char *name_below(const char *path, int *parent)
{
	_free_ char *folder = folder_of(path);

	*parent = geteuid() ? AT_FDCWD : owned_folder(folder);
	if (*parent == -1) {
		errno = errno == OWNED_ASTRAY ? EACCES : errno;
		return NULL;
	}
	return mem_strdup(geteuid() ? path : str_base(path));
}

static int make_below(int parent, const char *name)
{
	const mode_t enter = (given_mode & 0444) >> 2; /* who may read may enter */
	_close_ int fd = -1;

	if (mkdirat(parent, name, given_mode || caller_had_rights() ? 0700 : 0777))
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (given_mode)
		(void)!fchmod(fd, given_mode | enter);
	give_to_caller(fd);
	return 0;
}

int file_make_folder(const char *path)
{
	size_t n = strlen(path);
	_free_ char *own = NULL, *name = NULL;
	_close_ int parent = -1;

	while (n > 1 && path[n - 1] == '/')
		n--;
	own = mem_strndup(path, n);
	name = name_below(own, &parent);
	return name ? make_below(parent, name) : -errno;
}

/* For root, opens the folder, so that it is looked up once. */
static int find_folder(struct file_new *f, const char *path, const char *folder)
{
	f->at = mem_strdup(path);
	if (geteuid())
		return 0;
	f->folder = open_folder(path, folder);
	if (f->folder < 0)
		return f->folder;
	free(f->at);
	f->at = mem_printf("/proc/self/fd/%d/%s", f->folder, str_base(path));
	return check_existing(f->at, path, f->force);
}

/* Makes the temporary file in @folder, a path that the system knows. */
static int make_temporary(struct file_new *f, const char *folder)
{
	for (int i = 0; f->fd < 0 && i < TEMP_TRIES; i++) {
		free(f->temp);
		f->temp = leftover_name(folder);
		f->fd = open(f->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			     given_mode ? 0600 : mode_at(f->at));
		if (f->fd < 0 && errno != EEXIST)
			break;
		if (f->fd >= 0 && !leftover_lock(f->fd)) {
			close(f->fd);
			f->fd = -1;
			errno = EAGAIN;
		}
	}
	return f->fd < 0 ? -errno : 0;
}

static int begin(struct file_new *f, const char *path)
{
	_free_ char *folder = folder_of(path), *there = NULL;
	int rc;

	if (file_agent()) {
		f->number = file_agent()->begin(path, f->force, f->keeps_owner, &f->fd);
		f->path = f->number < 0 ? NULL : mem_strdup(path);
		return f->number < 0 ? f->number : 0;
	}
	rc = file_check_new(path, f->force);
	if (!rc)
		rc = find_folder(f, path, folder);
	if (rc) {
		file_drop(f);
		return rc;
	}
	there = folder_of(f->at);
	leftover_remove(there);
	rc = make_temporary(f, there);
	if (rc) {
		rc = err(rc, "cannot write in folder '%s': %s", folder, strerror(-rc));
		free(f->temp);
		f->temp = NULL;
		file_drop(f);
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
	*f = (struct file_new){.fd = -1, .folder = -1, .force = force};
	return begin(f, path);
}

int file_begin_again(struct file_new *f, const char *path)
{
	*f = (struct file_new){.fd = -1, .folder = -1, .force = true, .keeps_owner = true};
	return begin(f, path);
}

int file_take_over(struct file_new *f, const char *path, const char *temp, bool force,
		   bool keeps_owner)
{
	_free_ char *folder = folder_of(path), *there = NULL;
	int rc;

	*f = (struct file_new){.fd = -1, .folder = -1, .force = force, .keeps_owner = keeps_owner};
	rc = find_folder(f, path, folder);
	if (!rc) {
		there = folder_of(f->at);
		f->temp = mem_printf("%s/%s", there, temp);
		f->fd = open(f->temp, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		rc = f->fd < 0 ? err(-errno, "cannot open '%s': %s", f->temp, strerror(errno)) : 0;
	}
	if (rc)
		file_forget(f);
	else
		f->path = mem_strdup(path);
	return rc;
}

int file_write(struct file_new *f, const void *data, size_t n)
{
	int ret = file_put(f->fd, data, n);

	return ret ? err(ret, "cannot write '%s': %s", f->path, strerror(-ret)) : 0;
}

/* Renames to a name that must be free. On file systems without RENAME_NOREPLACE link(2) refuses
 * one that is not. */
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

/* Makes the name durable. Some network file systems cannot sync a folder: no error. */
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

	if (lstat(f->at, &st) || !S_ISREG(st.st_mode))
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
	rc = check_existing(f->at, f->path, f->force);
	if (rc)
		return rc;
	if (f->force)
		rc = rename(f->temp, f->at) ? -errno : 0;
	else
		rc = rename_fresh(f->temp, f->at);
	if (rc)
		return err(rc, "cannot make '%s': %s", f->path, strerror(-rc));
	leftover_unlock(f->fd);
	return 0;
}

static int ask_end(struct file_new *f, bool commit)
{
	int rc = file_agent()->end(f->number, commit);

	close(f->fd);
	free(f->path);
	*f = (struct file_new){.fd = -1};
	return rc;
}

int file_commit(struct file_new *f)
{
	int rc;

	if (file_agent())
		return ask_end(f, true);
	rc = settle(f);
	if (!rc) {
		sync_folder(f->at);
		free(f->temp);
		f->temp = NULL;
	}
	file_drop(f);
	return rc;
}

void file_forget(struct file_new *f)
{
	if (f->at && f->folder >= 0)
		close(f->folder);
	free(f->path);
	free(f->temp);
	free(f->at);
	*f = (struct file_new){.fd = -1, .folder = -1};
}

void file_drop(struct file_new *f)
{
	if (file_agent() && f->path) {
		ask_end(f, false);
		return;
	}
	if (f->path && f->fd >= 0)
		close(f->fd);
	if (f->temp)
		unlink(f->temp);
	file_forget(f);
}
