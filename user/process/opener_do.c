/* What a helper does for a request: see opener_wire.h. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/arenas.h"
#include "process/closure.h"
#include "process/filecopy.h"
#include "process/mounts.h"
#include "process/opener_wire.h"
#include "process/procfs.h"

static const char *const suffixes[] = {
	".c",	 ".h",	  ".cc",    ".hh",  ".cpp",  ".hpp", ".cxx",  ".hxx", ".c++",	".h++",
	".inl",	 ".ipp",  ".tcc",   ".inc", ".def",  ".rs",  ".go",   ".s",   ".asm",	".f",
	".for",	 ".f77",  ".f90",   ".f95", ".f03",  ".f08", ".d",    ".di",  ".zig",	".nim",
	".v",	 ".cr",	  ".pas",   ".pp",  ".ada",  ".adb", ".ads",  ".m",   ".mm",	".cu",
	".cuh",	 ".cl",	  ".swift", ".hs",  ".ml",   ".mli", ".java", ".kt",  ".scala", ".clj",
	".cs",	 ".fs",	  ".jl",    ".lua", ".py",   ".pyx", ".pl",   ".pm",  ".rb",	".php",
	".js",	 ".mjs",  ".ts",    ".tsx", ".y",    ".yy",  ".l",    ".ll",  ".lex",	".vala",
	".ispc", ".odin", ".tpp",   ".txx", ".impl",
};

static bool has_source_suffix(const char *name)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const size_t n = strlen(name), k = strlen(suffixes[i]);

		if (n > k && !strcasecmp(name + n - k, suffixes[i]))
			return true;
	}
	return false;
}

/* Folders that are no project's: these themselves, and those of with_all with everything below
 * them. */
static const char *const alone[] = {"/",    "/etc",  "/root", "/home", "/var",
				    "/usr", "/boot", "/run",  "/lib",  "/opt"};
static const char *const with_all[] = {"/proc", "/sys", "/dev"};

static bool is_below(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (path[n] == '/' || !path[n] || folder[n - 1] == '/');
}

/* "/home/x". */
static bool is_a_home(const char *folder)
{
	return str_starts(folder, "/home/") && !strchr(folder + 6, '/');
}

static bool may_hold_sources(const char *folder, const char *home)
{
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		if (!strcmp(folder, alone[i]))
			return false;
	for (size_t i = 0; i < sizeof(with_all) / sizeof(*with_all); i++)
		if (is_below(folder, with_all[i]))
			return false;
	return !is_a_home(folder) && !(home && home[0] == '/' && is_below(home, folder));
}

static int open_at(int folder, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags,
			       .resolve = RESOLVE_NO_MAGICLINKS | resolve};
	int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));

	/* A link leads out of the folder. */
	return fd >= 0 ? fd : errno == EXDEV || errno == ELOOP ? -EACCES : -errno;
}

/* The path that the descriptor refers to; owned; "": unknown, or deleted. */
static char *resolved(int fd)
{
	char *path = file_path(fd);

	if (path && path[0] == '/' && !str_ends(path, " (deleted)"))
		return path;
	free(path);
	return mem_strdup("");
}

/*
 * An O_PATH descriptor of @path below @root_fd (-1: our own root). Its first @folder bytes are the
 * folder that it must lie in after links are resolved. -EACCES: it does not; it lacks the suffix of
 * a source file; a name on the way begins with a dot; or the folder belongs to the system, or is or
 * holds a user's home (@home, in that root; may be NULL). Or another negative errno of open(2). No
 * text.
 */
static int opener_source(int root_fd, const char *path, size_t folder, const char *home)
{
	_free_ char *above = mem_strndup(path, folder);
	_free_ char *folder_is = NULL, *file_is = NULL;
	_close_ int at = -1;
	int fd;

	if (path[0] != '/' || path[folder] != '/')
		return -EACCES;
	at = open_at(root_fd >= 0 ? root_fd : AT_FDCWD, folder ? above : "/", O_DIRECTORY,
		     root_fd >= 0 ? RESOLVE_IN_ROOT : 0);
	if (at < 0)
		return at;
	folder_is = resolved(at);
	if (!folder_is[0] || !may_hold_sources(folder_is, home))
		return -EACCES;
	path += folder + strspn(path + folder, "/");
	fd = open_at(at, path, 0, RESOLVE_BENEATH);
	if (fd < 0)
		return fd;
	file_is = resolved(fd);
	if (is_below(file_is, folder_is) && !strstr(file_is, "/.") &&
	    has_source_suffix(str_base(file_is)))
		return fd;
	close(fd);
	return -EACCES;
}

/* The most memory for one file's copy. */
#define COPY_MOST (1ull << 30)
/* The largest size of a file that is copied, however sparse. */
#define SIZE_MOST (1ull << 36)

struct job {
	struct mounts *mounts;
	const struct opener_request *r;
	struct opener_shared *shared;
	struct opener_slot *slot;
	uint64_t until_ns;
	uint64_t kept; /* bytes of the copy under way */
};

static void note_progress(const struct job *d)
{
	if (d->slot)
		atomic_store(&d->slot->since_ns, clock_ns(CLOCK_MONOTONIC));
}

/* --- copies ---------------------------------------------------------------------------------- */

static bool copy_goes_on(void *context, uint64_t more)
{
	struct job *d = context;

	note_progress(d);
	d->kept += more;
	if (d->shared)
		atomic_fetch_add(&d->shared->kept_bytes, more);
	return clock_ns(CLOCK_MONOTONIC) < d->until_ns &&
	       (!d->slot || atomic_load(&d->slot->state) == OPENER_BUSY);
}

/* What one copy may take: half of the memory left, so that others get some too. */
static uint64_t copy_most(const struct job *d)
{
	uint64_t most =
		d->r->bytes_most && d->r->bytes_most < COPY_MOST ? d->r->bytes_most : COPY_MOST;
	uint64_t kept, left;

	if (!d->shared)
		return most;
	kept = atomic_load(&d->shared->kept_bytes);
	left = kept < d->shared->most_bytes ? (d->shared->most_bytes - kept) / 2 : 0;
	return left < most ? left : most;
}

static int copy(struct job *d, int fd, const struct statx *st)
{
	const struct filecopy c = {.from = fd,
				   .bytes = st->stx_size,
				   .most = copy_most(d),
				   .goes_on = copy_goes_on,
				   .context = d};
	int ret = st->stx_size > SIZE_MOST ? -EFBIG : filecopy_make(&c);

	if (!d->shared)
		return ret;
	atomic_fetch_add(&d->shared->copied, ret >= 0);
	atomic_fetch_add(&d->shared->copied_bytes, d->kept);
	atomic_fetch_add(&d->shared->too_large, ret == -EFBIG);
	if (ret < 0)
		atomic_fetch_sub(&d->shared->kept_bytes, d->kept);
	return ret;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Some file systems that a user mounted admit nobody else, not even root: opens it as that user. */
static int reopen_as(const struct job *d, int path_fd)
{
	struct owner owner;
	int fd = file_reopen(path_fd);

	if (fd != -EACCES || !d->slot || !d->r->pid)
		return fd;
	if (d->r->as)
		owner = *d->r->as;
	else if (!owner_of(d->r->pid, &owner))
		return fd;
	return !owner.uid || owner_become_for_good(&owner) ? fd : file_reopen(path_fd);
}

/* Whether the file's mount is local: it is in the namespace of the process, or it is that of the
 * root, which the asking process has found to be local. */
static bool is_local(const struct job *d, const struct statx *st)
{
	const struct mount_id at = mount_id_of(st);
	struct statx root;

	if (mounts_of(d->mounts, d->r->pid, &at) == MOUNT_LOCAL)
		return true;
	return d->r->root_fd >= 0 && at.id && mount_stat(d->r->root_fd, &root) &&
	       mount_id_of(&root).id == at.id;
}

static void describe(const struct statx *st, struct opener_answer *a)
{
	a->device_major = st->stx_dev_major;
	a->device_minor = st->stx_dev_minor;
	a->inode = st->stx_ino;
	a->bytes = st->stx_size;
	a->uid = st->stx_uid;
	a->mode = st->stx_mode;
	a->links = st->stx_nlink;
}

/* Puts a descriptor of the file at @path_fd, or of a copy, into *@a. */
static void deliver(struct job *d, int path_fd, struct opener_answer *a, int *rest)
{
	struct statx st;
	bool local;

	/* A device or a pipe must not even be opened: that alone may have effects, or block. */
	if (!mount_stat(path_fd, &st) || !S_ISREG(st.stx_mode)) {
		a->rc = -EINVAL;
		return;
	}
	local = is_local(d, &st);
	a->device_major = st.stx_dev_major;
	a->device_minor = st.stx_dev_minor;
	if (d->slot && !local)
		atomic_store(&d->slot->device, (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor);
	a->rc = local ? file_reopen(path_fd) : reopen_as(d, path_fd);
	if (a->rc < 0)
		return;
	a->fd = a->rc;
	a->rc = 0;
	note_progress(d);
	if (!local) {
		*rest = a->fd;
		a->fd = -1;
		/* Use the size that the server gives now that the file is open. */
		if (!mount_stat(*rest, &st) ||
		    statx(*rest, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st))
			a->rc = -errno;
		else if (!st.stx_size)
			a->rc = -EINVAL;
		if (a->rc)
			return;
		note_progress(d);
		a->is_copy = true;
		a->fd = copy(d, *rest, &st);
		a->rc = a->fd < 0 ? a->fd : 0;
		a->fd = a->fd < 0 ? -1 : a->fd;
	}
	describe(&st, a);
}

static int open_mapped(const struct opener_request *r)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", procfs_living(r->pid), r->start,
		 r->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_below(int root_fd, const char *path, bool no_links)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | (no_links ? O_NOFOLLOW : 0u),
			       .resolve = (root_fd >= 0 ? RESOLVE_IN_ROOT : 0u) |
					  (no_links ? RESOLVE_NO_MAGICLINKS : 0u)};
	int fd = (int)syscall(SYS_openat2, root_fd >= 0 ? root_fd : AT_FDCWD, path, &how,
			      sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int open_path(const struct opener_request *r)
{
	_close_ int root = -1;
	char path[32];

	if (r->path[0] != '/')
		return -EINVAL;
	if (r->what == OPENER_SOURCE)
		return r->folder < strlen(r->path)
			       ? opener_source(r->root_fd, r->path, r->folder, r->home)
			       : -EINVAL;
	if (r->root_fd != OPENER_ROOT_OF_PID)
		return open_below(r->root_fd, r->path, r->no_links);
	snprintf(path, sizeof(path), "/proc/%u/root", procfs_living(r->pid));
	root = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	return root < 0 ? -errno : open_below(root, r->path, r->no_links);
}

static void open_file(struct job *d, struct opener_answer *a, int *rest)
{
	const int as = d->r->as ? owner_become(d->r->as) : 0;
	int path_fd;

	if (as) {
		a->rc = as;
		return;
	}
	path_fd = d->r->what == OPENER_MAPPED ? open_mapped(d->r) : open_path(d->r);
	note_progress(d);
	if (path_fd < 0)
		a->rc = path_fd;
	else
		deliver(d, path_fd, a, rest);
	if (path_fd >= 0)
		close(path_fd);
	/* If the rights cannot be restored, end the helper: else it would serve the next request
	 * with them. */
	if (d->r->as && geteuid() == getuid() && owner_return() && d->slot)
		_exit(1);
}

/* --- names and closures ----------------------------------------------------------------------- */

static void find_name(const struct job *d, struct opener_answer *a)
{
	_close_ int path_fd = open_path(d->r);
	struct statx st;

	note_progress(d);
	if (path_fd < 0 || !mount_stat(path_fd, &st)) {
		a->rc = path_fd < 0 ? path_fd : -EIO;
		return;
	}
	describe(&st, a);
	a->text = file_path(path_fd);
	a->text_bytes = a->text ? strlen(a->text) : 0;
}

static bool closure_goes_on(void *context)
{
	const struct job *d = context;

	note_progress(d);
	return clock_ns(CLOCK_MONOTONIC) < d->until_ns;
}

static void find_closure(struct job *d, struct opener_answer *a)
{
	const struct closure_effort effort = {closure_goes_on, d};
	struct str text = {0};
	closure c = {0};

	if (d->r->path && d->r->path[0])
		closure_search_command(d->r->path, &effort, &c);
	else
		closure_search_process(d->r->root_fd, d->r->pid, &effort, &c);
	for (size_t i = 0; i < c.n; i++) {
		const struct opener_file head = {c.at[i].dev_major, c.at[i].dev_minor,
						 c.at[i].inode};

		str_addn(&text, (const char *)&head, sizeof(head));
		str_addn(&text, c.at[i].path, strlen(c.at[i].path) + 1);
	}
	closure_release(&c);
	a->text = text.s;
	a->text_bytes = text.n;
}

/* --- texts ----------------------------------------------------------------------------------- */

#define MEMORY_MOST 4096

static void read_text(const struct job *d, struct opener_answer *a)
{
	_free_ char *path = mem_printf("/proc/%u/%s", procfs_living(d->r->pid), d->r->path);
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t cap = 16384;
	ssize_t n = 1;

	if (fd < 0) {
		a->rc = -errno;
		return;
	}
	a->text = mem_zalloc(cap, 1);
	while (n > 0 && a->text_bytes < d->r->bytes_most) {
		if (cap - a->text_bytes < 8192)
			a->text = mem_realloc(a->text, cap *= 2, 1);
		do
			n = read(fd, a->text + a->text_bytes, cap - a->text_bytes - 1);
		while (n < 0 && errno == EINTR);
		a->text_bytes += n > 0 ? (size_t)n : 0;
		note_progress(d);
	}
	/* Rather no text than a part that would pass for the whole. */
	if (n < 0) {
		a->rc = -errno;
		a->text_bytes = 0;
	}
	a->text[a->text_bytes] = '\0';
	if (!a->text_bytes) {
		free(a->text);
		a->text = NULL;
	}
}

/* Reads the process's memory; the pages may be those of a server that does not answer. */
static void read_memory(const struct job *d, struct opener_answer *a)
{
	_free_ char *path = procfs_path(d->r->pid, "mem");
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	const size_t n = d->r->bytes_most < MEMORY_MOST ? d->r->bytes_most : MEMORY_MOST;
	ssize_t got = -1;

	a->text = mem_zalloc(n + 1, 1);
	if (fd >= 0)
		got = pread(fd, a->text, n, (off_t)d->r->start);
	a->rc = got > 0 ? 0 : got < 0 ? -errno : -EFAULT;
	a->text_bytes = a->rc ? 0 : (size_t)got;
	if (!a->text_bytes) {
		free(a->text);
		a->text = NULL;
	}
}

static void read_arenas(const struct job *d, struct opener_answer *a)
{
	_free_ char *path = procfs_path(d->r->pid, "mem");
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct arenas arenas;

	a->rc = fd < 0 ? -errno : arenas_read(fd, d->r->start, d->r->end, &arenas) ? 0 : -ENOENT;
	if (a->rc)
		return;
	a->text = mem_zalloc(sizeof(arenas) + 1, 1);
	memcpy(a->text, &arenas, sizeof(arenas));
	a->text_bytes = sizeof(arenas);
}

/* --- steps ----------------------------------------------------------------------------------- */

#define STEP_MOST 4096

static void read_step(const struct job *d, struct opener_answer *a)
{
	char nothing[STEP_MOST];
	const uint64_t most = d->r->bytes_most;
	const ssize_t n = read(d->r->root_fd, nothing, most < STEP_MOST ? most : STEP_MOST);

	a->rc = n < 0 ? -errno : (int)n;
}

void opener_do(struct mounts *mounts, const struct opener_request *r, struct opener_shared *shared,
	       struct opener_slot *slot, struct opener_answer *a, int *rest)
{
	struct job d = {mounts, r, shared, slot, clock_ns(CLOCK_MONOTONIC) + OPENER_WHOLE_NS, 0};

	*a = (struct opener_answer){.fd = -1};
	*rest = -1;
	if (r->what == OPENER_READ)
		read_text(&d, a);
	else if (r->what == OPENER_MEMORY)
		read_memory(&d, a);
	else if (r->what == OPENER_ARENAS)
		read_arenas(&d, a);
	else if (r->what == OPENER_NAME)
		find_name(&d, a);
	else if (r->what == OPENER_CLOSURE)
		find_closure(&d, a);
	else if (r->what == OPENER_STEP)
		read_step(&d, a);
	else
		open_file(&d, a, rest);
}
