#include "process/mounts.h"

#include <dirent.h>
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

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* File systems that need no server. Any other type may have one. */
static const char *const local_types[] = {
	"ext2",	    "ext3",	"ext4",	 "xfs",	     "btrfs",	  "tmpfs", "ramfs",    "rootfs",
	"devtmpfs", "squashfs", "erofs", "f2fs",     "vfat",	  "msdos", "exfat",    "ntfs3",
	"iso9660",  "udf",	"zfs",	 "bcachefs", "hugetlbfs", "jfs",   "reiserfs", "nilfs2",
	"minix",    "hfsplus",	"hfs",	 "cramfs",   "romfs",	  "ubifs", "jffs2"};

/* The kernel's own, whose files hold no data: reading one may block, or have effects. */
static const char *const pseudo_types[] = {
	"proc",	    "sysfs",	  "cgroup2", "cgroup",	   "bpf",	 "mqueue",
	"devpts",   "debugfs",	  "tracefs", "configfs",   "securityfs", "pstore",
	"efivarfs", "selinuxfs",  "nsfs",    "autofs",	   "fusectl",	 "binfmt_misc",
	"resctrl",  "rpc_pipefs", "cpuset",  "functionfs", "nfsd"};

/* The deepest stack of block devices (partition, RAID, loop, …) that is followed. */
#define MOST_LAYERS 8

static char *next_word(char **at)
{
	char *word = strsep(at, " ");

	return word && *word ? word : NULL;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* "\040" is a space. */
static char *unescape(char *s)
{
	char *to = s;

	for (const char *from = s; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return s;
}

/* "36 35 98:0 /dir /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue" */
bool mount_line_parse(char *line, struct mount_line *out)
{
	char *at = line, *id, *device, *point, *word, *type, *source;

	line[strcspn(line, "\n")] = '\0';
	id = next_word(&at);
	(void)next_word(&at); /* the parent mount's number */
	device = next_word(&at);
	(void)next_word(&at); /* the root of the mount within its file system */
	point = next_word(&at);
	do
		word = next_word(&at);
	while (word && strcmp(word, "-") != 0);
	type = next_word(&at);
	source = strsep(&at, " ");
	if (!id || !device || !point || !type || !source ||
	    sscanf(device, "%u:%u", &out->major, &out->minor) != 2)
		return false;
	out->id = strtoull(id, NULL, 10);
	out->point = unescape(point);
	out->type = type;
	out->source = unescape(source);
	out->options = at ? unescape(at) : "";
	return true;
}

/* --- block devices --------------------------------------------------------------------------- */

static bool is_local_device(uint32_t major, uint32_t minor, const struct mount_judge *j, int layer);

/* "/sys/dev/block/7:0" for devices, the partition's whole device for @up. */
static char *device_file(uint32_t major, uint32_t minor, const char *up, const char *file)
{
	return mem_printf("/sys/dev/block/%u:%u%s/%s", major, minor, up, file);
}

static bool is_on_the_network(uint32_t major, uint32_t minor)
{
	static const char *const names[] = {"nbd", "rbd", "drbd", "aoe", "etherd"};
	_free_ char *link = mem_printf("/sys/dev/block/%u:%u", major, minor);
	_free_ char *path = file_link(link);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		_free_ char *part = mem_printf("/%s", names[i]);

		if (path && strstr(path, part))
			return true;
	}
	return false;
}

/* For a loop device: whether the file behind it is local; true for any other device. */
static bool is_local_behind(uint32_t major, uint32_t minor, const struct mount_judge *j)
{
	static const char *const ups[] = {"", "/.."};

	for (size_t i = 0; i < 2; i++) {
		_free_ char *file = device_file(major, minor, ups[i], "loop/backing_file");
		_free_ char *path = NULL;
		size_t n;

		if (file_read(file, 8192, &path, &n))
			continue;
		path[strcspn(path, "\n")] = '\0';
		return j->is_local(j->context, path);
	}
	return true;
}

/* Whether all devices it is made of (crypt, RAID, volumes) are local. */
static bool are_local_below(uint32_t major, uint32_t minor, const struct mount_judge *j, int layer)
{
	_free_ char *folder = device_file(major, minor, "", "slaves");
	DIR *dir = opendir(folder);
	bool local = true;

	for (struct dirent *e; local && dir && (e = readdir(dir));) {
		_free_ char *file = mem_printf("%s/%s/dev", folder, e->d_name);
		_free_ char *text = NULL;
		unsigned int below[2];
		size_t n;

		if (e->d_name[0] == '.' || file_read(file, 64, &text, &n) ||
		    sscanf(text, "%u:%u", &below[0], &below[1]) != 2)
			continue;
		local = is_local_device(below[0], below[1], j, layer + 1);
	}
	if (dir)
		closedir(dir);
	return local;
}

static bool is_local_device(uint32_t major, uint32_t minor, const struct mount_judge *j, int layer)
{
	return layer < MOST_LAYERS && !is_on_the_network(major, minor) &&
	       is_local_behind(major, minor, j) && are_local_below(major, minor, j, layer);
}

/* btrfs and others have device numbers of their own: judge by the mounted device. */
static bool is_local_source(const struct mount_line *m, const struct mount_judge *j)
{
	struct stat st;

	if (m->major)
		return is_local_device(m->major, m->minor, j, 0);
	if (!str_starts(m->source, "/dev/") || stat(m->source, &st) || !S_ISBLK(st.st_mode))
		return true;
	return is_local_device(major(st.st_rdev), minor(st.st_rdev), j, 0);
}

/* --- overlayfs -------------------------------------------------------------------------------- */

static bool are_local_paths(char *list, const struct mount_judge *j)
{
	char *save = NULL;

	for (char *p = strtok_r(list, ":", &save); p; p = strtok_r(NULL, ":", &save))
		if (p[0] == '/' ? !j->is_local(j->context, p) : j->has_remote(j->context))
			return false;
	return true;
}

static bool is_local_overlay(const struct mount_line *m, const struct mount_judge *j)
{
	static const char *const layers[] = {
		"lowerdir=", "lowerdir+=", "datadir+=", "upperdir=", "workdir="};
	_free_ char *copy = mem_strdup(m->options);
	char *save = NULL;

	if (!j->trusted)
		return false;
	for (char *o = strtok_r(copy, ",", &save); o; o = strtok_r(NULL, ",", &save))
		for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++)
			if (str_starts(o, layers[i]) && !are_local_paths(o + strlen(layers[i]), j))
				return false;
	return true;
}

static bool is_among(const char *type, const char *const *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

bool mount_line_is_local(const struct mount_line *m, const struct mount_judge *j)
{
	if (!strcmp(m->type, "overlay"))
		return is_local_overlay(m, j);
	return is_among(m->type, local_types, sizeof(local_types) / sizeof(*local_types)) &&
	       is_local_source(m, j);
}

bool mount_line_is_pseudo(const struct mount_line *m)
{
	return is_among(m->type, pseudo_types, sizeof(pseudo_types) / sizeof(*pseudo_types));
}

/* Room for some 10,000 mounts; later ones are unknown. */
#define MOST_BYTES (1 << 20)

struct entry {
	struct mount_id at;
	bool local, pseudo;
	char *point; /* owned */
};
typedef VEC(struct entry) entries;

struct mounts {
	int fd; /* our own mountinfo; polled for changes */
	entries own;
	uint64_t root_id; /* of the mount that holds our root directory */
	uint32_t root_major, root_minor;
	uint32_t shared_major, shared_minor; /* of memory files, which no mount shows */
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

/* The mount that @path is on: the last of several on the same mount point. */
static const struct entry *mount_of(const entries *own, const char *path)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < own->n; i++)
		if (is_below(path, own->at[i].point) &&
		    (!best || strlen(own->at[i].point) >= strlen(best->point)))
			best = &own->at[i];
	return best;
}

/* Asks the kernel, from memory only, which resolves symbolic links; where it does not know, decides
 * by the path. */
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
		/* Compute this first: the check looks at the entries so far. */
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

/* All mounts of one file system are alike, except for an overlay that is not trusted. */
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
