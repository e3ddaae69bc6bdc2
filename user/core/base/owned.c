#include "base/owned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/mem.h"

#define LINKS_MOST 40 /* as in Linux, path_resolution(7) */

/* Which users, besides root and the caller, control where the path leads. */
enum control { BY_NOBODY, BY_ONE, BY_ANYBODY };

struct walk {
	int folder;	  /* where the next name is looked up; owned */
	struct stat stat; /* of the folder */
	enum control control;
	uid_t user; /* BY_ONE: who */
	int links;  /* followed so far */
};

static void note(struct walk *w, uid_t user)
{
	if (!user || user == caller().uid)
		return;
	if (w->control == BY_NOBODY) {
		w->control = BY_ONE;
		w->user = user;
	} else if (w->user != user) {
		w->control = BY_ANYBODY;
	}
}

/* The folder's owner may rename and replace what is in it, and unless it is sticky, so may all who
 * can write there. */
static void note_folder(struct walk *w)
{
	note(w, w->stat.st_uid);
	if (w->stat.st_mode & S_IWOTH && !(w->stat.st_mode & S_ISVTX))
		w->control = BY_ANYBODY;
}

/* Enters the folder @fd, which the walk owns then. */
static int enter(struct walk *w, int fd)
{
	if (w->folder >= 0)
		close(w->folder);
	w->folder = fd;
	return fd < 0 || fstat(fd, &w->stat) ? -errno : 0;
}

static int start(struct walk *w, const char *path)
{
	return enter(w, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Replaces *@path by the target of the link @fd and the @rest of the path. */
static int follow(struct walk *w, int fd, const struct stat *link, const char *rest, char **path)
{
	char target[PATH_MAX];
	const ssize_t n = readlinkat(fd, "", target, sizeof(target) - 1);
	char *all;

	if (n <= 0)
		return n ? -errno : -ENOENT;
	if (++w->links > LINKS_MOST)
		return -ELOOP;
	note(w, link->st_uid);
	note_folder(w);
	target[n] = '\0';
	all = mem_printf("%s%s%s", target, *rest ? "/" : "", rest);
	free(*path);
	*path = all;
	return *target == '/' ? start(w, "/") : 0;
}

/* Follows the first name of *@path. 0: there are more; 1: it was the last, *@path is that name and
 * *@st what has it. */
static int step(struct walk *w, char **path, struct stat *st)
{
	char *name = *path + strspn(*path, "/");
	char *end = name + strcspn(name, "/");
	char *rest = end + strspn(end, "/");
	_free_ char *first = mem_strndup(*name ? name : ".", (size_t)(*name ? end - name : 1));
	_close_ int fd = openat(w->folder, first, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	if (fd < 0 || fstat(fd, st))
		return -errno;
	if (S_ISLNK(st->st_mode))
		return follow(w, fd, st, rest, path);
	if (rest != end && !S_ISDIR(st->st_mode))
		return -ENOTDIR;
	if (!*rest) {
		free(*path);
		*path = first;
		first = NULL;
		return 1;
	}
	rc = enter(w, fd);
	fd = -1;
	memmove(*path, rest, strlen(rest) + 1);
	return rc;
}

/* Whether the file's mode lets its owner, unless that is root, open it with @flags. */
static bool owner_may(const struct stat *st, int flags)
{
	const int how = flags & O_ACCMODE;
	const mode_t needed = (how != O_WRONLY ? S_IRUSR : 0) | (how != O_RDONLY ? S_IWUSR : 0);

	return !st->st_uid || (st->st_mode & needed) == needed;
}

/* Whether a user led the path to a file of another user. */
static bool is_astray(const struct walk *w, const struct stat *st)
{
	return w->control == BY_ANYBODY || (w->control == BY_ONE && w->user != st->st_uid);
}

static int check(struct walk *w, const struct stat *st, int flags)
{
	if (st->st_nlink > 1)
		note_folder(w);
	if (is_astray(w, st))
		return -OWNED_ASTRAY;
	return owner_may(st, flags) ? 0 : -EACCES;
}

/* Opens the file that was checked, or none. To open what is no regular file may have effects, so it
 * is only held (O_PATH): the caller will refuse it. */
static int open_last(const struct walk *w, const char *name, int flags, const struct stat *st)
{
	const int how = S_ISREG(st->st_mode) ? flags | O_NOCTTY : O_PATH;
	_close_ int fd = openat(w->folder, name, how | O_NOFOLLOW | O_CLOEXEC);
	struct stat now;
	int opened = fd;

	if (fd < 0 || fstat(fd, &now))
		return -errno;
	if (now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		return -OWNED_ASTRAY;
	fd = -1;
	return opened;
}

/* Walks to the end of the path: *@st is what is there, *@rest its name in the last folder. */
static int walk(struct walk *w, const char *path, char **rest, struct stat *st)
{
	int rc = *path ? start(w, path) : -ENOENT;

	while (!rc)
		rc = step(w, rest, st);
	return rc < 0 ? rc : 0;
}

static int finish(struct walk *w, int fd)
{
	if (w->folder >= 0)
		close(w->folder);
	errno = fd < 0 ? -fd : errno;
	return fd < 0 ? -1 : fd;
}

/* 0, or -errno if the folder may not be used. */
static int check_folder(struct walk *w, const struct stat *st, int flags)
{
	(void)flags;
	if (!S_ISDIR(st->st_mode))
		return -ENOTDIR;
	return is_astray(w, st) ? -OWNED_ASTRAY : 0;
}

/* Opens what is at the path's end, if @may allows it. */
static int open_end(const char *path, int flags,
		    int (*may)(struct walk *, const struct stat *, int flags))
{
	_free_ char *rest = mem_strdup(path);
	struct walk w = {.folder = -1};
	struct stat st;
	int rc = walk(&w, path, &rest, &st);

	if (!rc)
		rc = may(&w, &st, flags);
	return finish(&w, rc ? rc : open_last(&w, rest, flags, &st));
}

int owned_open(const char *path, int flags)
{
	return geteuid() ? open(path, flags | O_CLOEXEC | O_NOCTTY) : open_end(path, flags, check);
}

int owned_folder(const char *path)
{
	return geteuid() ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)
			 : open_end(path, O_RDONLY, check_folder);
}
