#include "base/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/hash.h"
#include "base/mem.h"

#define MOST_ENTRIES 10000 /* of a folder that are looked at */

char *leftover_name(const char *folder)
{
	return mem_printf("%s/.eprof-%d-%016" PRIx64 ".tmp", folder, (int)getpid(), chance_u64());
}

/* ".eprof-4711-0123456789abcdef.tmp" */
static bool is_name(const char *name)
{
	static const char before[] = ".eprof-", digits[] = "0123456789";
	size_t n;

	if (strncmp(name, before, sizeof(before) - 1) != 0)
		return false;
	name += sizeof(before) - 1;
	n = strspn(name, digits);
	if (!n || name[n] != '-')
		return false;
	name += n + 1;
	n = strspn(name, "0123456789abcdef");
	return n == 16 && !strcmp(name + n, ".tmp");
}

bool leftover_lock(int fd)
{
	struct stat st;

	/* Without locks on this file system, leftover_remove() removes nothing either. */
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno != EWOULDBLOCK;
	return fstat(fd, &st) || st.st_nlink > 0;
}

void leftover_unlock(int fd)
{
	(void)!flock(fd, LOCK_UN);
}

/* A file made under sudo belongs to root until it is given to the caller. */
static bool is_ours(const struct stat *st)
{
	const struct caller c = caller();

	return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	       (st->st_uid == geteuid() || (c.is_other && st->st_uid == c.uid));
}

static void remove_one(int folder, const char *name)
{
	_close_ int fd = -1;
	struct stat st, named;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) || !is_ours(&st))
		return;
	fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st) || !is_ours(&st))
		return;
	/* Only if the locked file still has the name. */
	if (!fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) && named.st_dev == st.st_dev &&
	    named.st_ino == st.st_ino)
		(void)!unlinkat(folder, name, 0);
}

void leftover_remove(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e;

	for (int i = 0; d && i < MOST_ENTRIES && (e = readdir(d)); i++)
		if (is_name(e->d_name))
			remove_one(dirfd(d), e->d_name);
	if (d)
		closedir(d);
}
