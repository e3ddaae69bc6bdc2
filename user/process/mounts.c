#include "process/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"

/* Some 10,000 mounts. Of what comes behind nothing is known. */
#define MOST_BYTES (1 << 20)

struct entry {
	struct mount_id at;
	bool local, pseudo;
	char *point; /* owned */
};
typedef VEC(struct entry) entries;

struct mounts {
	int fd; /* our own mountinfo, which says when it changes */
	entries own;
	uint64_t root_id; /* of the mount that our root directory is on */
	uint32_t root_major, root_minor;
	uint32_t shared_major, shared_minor; /* of memory files, which are mounted nowhere */
};

struct mount_id mount_id_of(const struct statx *st)
{
	return (struct mount_id){st->stx_mask & STATX_MNT_ID ? st->stx_mnt_id : 0,
				 st->stx_dev_major, st->stx_dev_minor};
}

bool mount_stat(int fd, struct statx *out)
{
	return !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		      STATX_BASIC_STATS | STATX_MNT_ID, out);
}

static void entries_release(entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->at[i].point);
	vec_release(e);
}

/* --- paths of our own namespace --------------------------------------------------------------- */

static bool is_below(const char *path, const char *point)
{
	const size_t n = strlen(point);

	return !strcmp(point, "/") ||
	       (!strncmp(path, point, n) && (path[n] == '/' || path[n] == '\0'));
}

/* The mount that @path is on: of several at one place the last. */
static const struct entry *mount_of(const entries *own, const char *path)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < own->n; i++)
		if (is_below(path, own->at[i].point) &&
		    (!best || strlen(own->at[i].point) >= strlen(best->point)))
			best = &own->at[i];
	return best;
}

/* By what the kernel has of it in memory, which takes symbolic links into account; else by the
 * path. */
static bool is_local_path(void *context, const char *path)
{
	const entries *own = context;
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	_close_ int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	const struct entry *e = mount_of(own, path);
	struct statx st;

	for (size_t i = 0; fd >= 0 && mount_stat(fd, &st) && i < own->n; i++)
		if (own->at[i].at.id == st.stx_mnt_id)
			return own->at[i].local;
	return e && e->local;
}

static bool has_remote(void *context)
{
	const entries *own = context;

	for (size_t i = 0; i < own->n; i++)
		if (!own->at[i].local && !own->at[i].pseudo)
			return true;
	return false;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void read_lines(FILE *f, const entries *own, bool trusted, entries *out)
{
	const struct mount_judge judge = {is_local_path, has_remote, (void *)(own ? own : out),
					  trusted};
	_free_ char *line = NULL;
	size_t cap = 0, total = 0;
	struct mount_line m;
	struct entry e;
	ssize_t n;

	while (total < MOST_BYTES && (n = getline(&line, &cap, f)) > 0) {
		total += (size_t)n;
		if (!mount_line_parse(line, &m))
			continue;
		/* Made first: the judge looks at those that are there already. */
		e = (struct entry){.at = {m.id, m.major, m.minor},
				   .local = mount_line_is_local(&m, &judge),
				   .pseudo = mount_line_is_pseudo(&m),
				   .point = mem_strdup(m.point)};
		vec_push(out, e);
	}
}

static void read_own(struct mounts *m)
{
	const int copy = dup(m->fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "r");

	entries_release(&m->own);
	if (!f) {
		if (copy >= 0)
			close(copy);
		return;
	}
	rewind(f);
	read_lines(f, NULL, true, &m->own);
	fclose(f);
}

static void find_root(struct mounts *m)
{
	_close_ int fd = open("/", O_PATH | O_CLOEXEC);
	struct statx st;

	if (fd < 0 || !mount_stat(fd, &st))
		return;
	m->root_id = mount_id_of(&st).id;
	for (size_t i = 0; i < m->own.n; i++) {
		if (m->own.at[i].at.id != m->root_id)
			continue;
		m->root_major = m->own.at[i].at.major;
		m->root_minor = m->own.at[i].at.minor;
	}
}

static void find_shared(struct mounts *m)
{
	_close_ int fd = memfd_create("device", MFD_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return;
	m->shared_major = major(st.st_dev);
	m->shared_minor = minor(st.st_dev);
}

struct mounts *mounts_new(void)
{
	struct mounts *m = mem_zalloc(1, sizeof(*m));

	m->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	read_own(m);
	find_root(m);
	find_shared(m);
	return m;
}

void mounts_free(struct mounts *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	entries_release(&m->own);
	free(m);
}

static void refresh(struct mounts *m)
{
	struct pollfd p = {.fd = m->fd, .events = POLLPRI};

	if (m->fd >= 0 && poll(&p, 1, 0) > 0)
		read_own(m);
}

/* --- answers ---------------------------------------------------------------------------------- */

static enum mount_kind kind_of(bool local)
{
	return local ? MOUNT_LOCAL : MOUNT_REMOTE;
}

static bool is_ours(const struct mounts *m, uint32_t major, uint32_t minor)
{
	return (major == m->root_major && minor == m->root_minor) ||
	       (major == m->shared_major && minor == m->shared_minor);
}

/* Of one file system all mounts are alike, but for an overlay that is not to be trusted. */
static enum mount_kind by_device(const entries *e, uint32_t major, uint32_t minor)
{
	enum mount_kind kind = MOUNT_UNKNOWN;

	for (size_t i = 0; i < e->n && kind != MOUNT_REMOTE; i++)
		if (e->at[i].at.major == major && e->at[i].at.minor == minor)
			kind = kind_of(e->at[i].local);
	return kind;
}

static enum mount_kind by_id(const entries *e, uint64_t id)
{
	for (size_t i = 0; id && i < e->n; i++)
		if (e->at[i].at.id == id)
			return kind_of(e->at[i].local);
	return MOUNT_UNKNOWN;
}

enum mount_kind mounts_own(struct mounts *m, const struct mount_id *at)
{
	if ((at->id && at->id == m->root_id) || is_ours(m, at->major, at->minor))
		return MOUNT_LOCAL;
	refresh(m);
	return by_id(&m->own, at->id);
}

/* Whether the mount namespace of @pid belongs to the user namespace that we are in. */
static bool is_trusted(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u/ns/mnt", pid);
	_close_ int ns = open(path, O_RDONLY | O_CLOEXEC);
	_close_ int owner = ns < 0 ? -1 : ioctl(ns, NS_GET_USERNS);
	struct stat theirs, ours;

	return owner >= 0 && !fstat(owner, &theirs) && !stat("/proc/self/ns/user", &ours) &&
	       theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

static enum mount_kind in_process(const struct mounts *m, uint32_t pid, const struct mount_id *at)
{
	_free_ char *path = mem_printf("/proc/%u/mountinfo", pid);
	FILE *f = fopen(path, "re");
	enum mount_kind kind;
	entries e = {0};

	if (!f)
		return MOUNT_UNKNOWN;
	read_lines(f, &m->own, is_trusted(pid), &e);
	fclose(f);
	kind = by_id(&e, at->id);
	if (kind == MOUNT_UNKNOWN)
		kind = by_device(&e, at->major, at->minor);
	entries_release(&e);
	return kind;
}

enum mount_kind mounts_of(struct mounts *m, uint32_t pid, const struct mount_id *at)
{
	enum mount_kind kind = mounts_own(m, at);

	if (kind == MOUNT_UNKNOWN && pid)
		kind = in_process(m, pid, at);
	return kind != MOUNT_UNKNOWN ? kind : by_device(&m->own, at->major, at->minor);
}
