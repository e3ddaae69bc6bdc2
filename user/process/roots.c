#include "process/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "process/mounts.h"
#include "process/procfs.h"

/* Enough for the containers of one machine; each root costs a descriptor, and a file that a process
 * now gone had mapped is looked for in every root. */
#define MAX_ROOTS 256

struct root {
	ino_t ns; /* inode of the mount namespace */
	dev_t dev;
	ino_t inode; /* of the root directory in it */
	int fd;
	bool asked; /* since the last roots_forget() */
};

struct roots {
	struct mounts *mounts;
	struct root own;
	VEC(struct root) others;
};

/* From the kernel's memory alone, since a root may be on a mount that does not answer. */
static bool identify(const char *proc, struct root *out, struct mount_id *at)
{
	char path[64];
	struct stat ns;
	struct statx st;
	_close_ int fd = -1;

	snprintf(path, sizeof(path), "%s/ns/mnt", proc);
	if (stat(path, &ns))
		return false;
	out->ns = ns.st_ino;
	snprintf(path, sizeof(path), "%s/root", proc);
	fd = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (fd < 0 || !mount_stat(fd, &st))
		return false;
	*at = mount_id_of(&st);
	out->dev = makedev(at->major, at->minor);
	out->inode = st.stx_ino;
	return true;
}

static bool same(const struct root *a, const struct root *b)
{
	return a->ns == b->ns && a->dev == b->dev && a->inode == b->inode;
}

struct roots *roots_new(void)
{
	struct roots *r = mem_zalloc(1, sizeof(*r));

	struct mount_id at;

	r->mounts = mounts_new();
	r->own.fd = -1;
	identify("/proc/self", &r->own, &at);
	return r;
}

void roots_free(struct roots *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->others.n; i++)
		close(r->others.at[i].fd);
	vec_release(&r->others);
	mounts_free(r->mounts);
	free(r);
}

int roots_of(struct roots *r, uint32_t pid)
{
	const uint32_t living = procfs_living(pid);
	char path[64];
	struct mount_id at;
	struct root root;

	snprintf(path, sizeof(path), "/proc/%u", living);
	if (!identify(path, &root, &at) || same(&root, &r->own))
		return -1;
	for (size_t i = 0; i < r->others.n; i++) {
		if (same(&root, &r->others.at[i])) {
			r->others.at[i].asked = true;
			return r->others.at[i].fd;
		}
	}
	/* Keep no descriptor on a mount that may not answer. */
	if (r->others.n == MAX_ROOTS || mounts_of(r->mounts, living, &at) != MOUNT_LOCAL)
		return -1;
	snprintf(path, sizeof(path), "/proc/%u/root", living);
	root.asked = true;
	root.fd = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (root.fd >= 0)
		vec_push(&r->others, root);
	return root.fd;
}

void roots_forget(struct roots *r, bool (*used)(void *context, int fd), void *context)
{
	size_t n = 0;

	for (size_t i = 0; i < r->others.n; i++) {
		struct root *root = &r->others.at[i];

		if (!root->asked && !used(context, root->fd)) {
			close(root->fd);
			continue;
		}
		root->asked = false;
		r->others.at[n++] = *root;
	}
	r->others.n = n;
}

size_t roots_count(const struct roots *r)
{
	return r->others.n + 1;
}

int roots_at(const struct roots *r, size_t i)
{
	return i < r->others.n ? r->others.at[r->others.n - 1 - i].fd : -1;
}

/* --- files nearby ----------------------------------------------------------------------------- */

int nearby_open(int root_fd, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS |
					  (root_fd >= 0 ? RESOLVE_IN_ROOT : 0u)};
	_close_ int path_fd = (int)syscall(SYS_openat2, root_fd >= 0 ? root_fd : AT_FDCWD, path,
					   &how, sizeof(how));

	return path_fd < 0 ? -errno : file_reopen_regular(path_fd);
}
