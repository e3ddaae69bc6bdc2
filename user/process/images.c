#include "process/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "elf/budget.h"
#include "elf/buildid.h"
#include "elf/elffile.h"
#include "select/runtime.h"
#include "process/executed.h"
#include "process/filecopy.h"
#include "process/identity.h"
#include "process/maps.h"
#include "process/opener.h"
#include "process/owner.h"
#include "process/procfs.h"
#include "process/roots.h"

/* One identity of an image. An image has two if one process's record gives its build-id and
 * another's its inode. */
struct alias {
	struct identity id;
	uint32_t image;
};

static void image_free(struct image *image)
{
	if (!image)
		return;
	if (image->fd >= 0)
		close(image->fd);
	free(image->path);
	free(image->other_path);
	free(image->note);
	free(image);
}

/* Descriptors left for the rest of eprof while images keep files open. */
#define SPARE_FDS 64

static uint64_t open_of(const struct images *m, uid_t uid)
{
	const uint32_t *n = map_get(&m->open_by_user, uid);

	return n ? *n : 0;
}

/* Whether @fd, a file that process @pid has mapped, may be kept open. A user who is not root may
 * have half as many as the others leave. */
static bool images_may_hold(const struct images *m, uint32_t pid, int fd)
{
	const uid_t uid = owner_uid(pid);
	uint64_t own, others;

	if ((uint64_t)fd + SPARE_FDS > m->max_fds)
		return false;
	if (!uid)
		return true;
	own = open_of(m, uid);
	others = m->n_open - own;
	return own < (m->max_fds - SPARE_FDS - others) / 2;
}

/* Counts a file, whose mapper is known, as kept open or as closed. */
static void images_held(struct images *m, const struct image *image, bool held)
{
	bool fresh;
	uint32_t *n;

	if (!image->has_mapper || image->fd < 0)
		return;
	n = map_put(&m->open_by_user, image->mapper.uid, &fresh);
	*n += held ? 1u : -1u;
	m->n_open += held ? 1u : -1ull;
}

/* Returns the number of the new image. */
static uint32_t images_add(struct images *m, enum image_kind kind, const char *path)
{
	struct image *image = mem_zalloc(1, sizeof(*image));
	uint32_t number = (uint32_t)m->at.n;

	if (m->unused.n)
		number = m->unused.at[--m->unused.n];
	else
		vec_push(&m->at, NULL);
	*image = (struct image){.kind = kind,
				.path = mem_strdup(path),
				.fd = -1,
				.root_fd = -1,
				.opener = m->opener,
				.first = number,
				.serial = m->serial++,
				.asked = m->round};
	m->at.at[number] = image;
	return number;
}

/* Raises the soft limit, which exists for select(2): each mapped file keeps a descriptor until it
 * is named. Returns how many descriptors images may have. */
static uint64_t raise_descriptor_limit(void)
{
	struct rlimit limit, raised;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return UINT64_MAX;
	raised = (struct rlimit){limit.rlim_max, limit.rlim_max};
	return setrlimit(RLIMIT_NOFILE, &raised) ? limit.rlim_cur : raised.rlim_cur;
}

struct images *images_new(void)
{
	struct images *m = mem_zalloc(1, sizeof(*m));
	struct image *vdso;

	m->max_fds = raise_descriptor_limit();
	m->roots = roots_new();
	images_add(m, IMAGE_KIND_NONE, "");
	images_add(m, IMAGE_KIND_KERNEL, "[kernel]");
	vdso = m->at.at[images_add(m, IMAGE_KIND_VDSO, "[vdso]")];
	vdso->fd = vdso_open();
	if (vdso->fd < 0)
		vdso->note = mem_strdup("our own vDSO could not be copied");
	images_add(m, IMAGE_KIND_NONE, "[more files]");
	images_add(m, IMAGE_KIND_SCRIPT, "[scripts]");
	return m;
}

void images_free(struct images *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->at.n; i++)
		image_free(m->at.at[i]);
	vec_release(&m->at);
	vec_release(&m->unused);
	vec_release(&m->aliases);
	map_release(&m->by_key);
	map_release(&m->by_pid);
	map_release(&m->open_by_user);
	roots_free(m->roots);
	free(m);
}

static struct identity of_id(const struct image_id *id)
{
	struct identity out = {
		.dev_major = id->dev_major, .dev_minor = id->dev_minor, .inode = id->inode};

	out.build_id_bytes = id->build_id_bytes <= BUILDID_MAX ? id->build_id_bytes : 0;
	memcpy(out.build_id, id->build_id, out.build_id_bytes);
	return out;
}

static struct identity of_image(const struct image *image)
{
	struct identity out = {.build_id_bytes = image->build_id_bytes,
			       .dev_major = image->dev_major,
			       .dev_minor = image->dev_minor,
			       .inode = image->inode};

	memcpy(out.build_id, image->build_id, image->build_id_bytes);
	return out;
}

static int open_map_file(struct images *m, uint32_t pid, uint64_t start, uint64_t end,
			 const struct identity *want, struct opener_answer *a)
{
	const struct opener_request r = {.what = OPENER_MAPPED,
					 .pid = pid,
					 .start = start,
					 .end = end,
					 .root_fd = OPENER_OWN_ROOT,
					 .device_major = want->dev_major,
					 .device_minor = want->dev_minor};

	return opener_ask(m->opener, &r, a);
}

/* The note for a file that could not be opened: the first error that is not just ENOENT. */
static const char *why_not(int by_map, int by_path)
{
	if (by_map == -EMFILE || by_path == -EMFILE || by_map == -ENFILE || by_path == -ENFILE)
		return "too many open files";
	if (by_map == -ETIMEDOUT || by_map == -EBUSY)
		return OPENER_SILENT;
	if (by_map == -EFBIG)
		return "too large to be copied from its mount";
	if (by_path == -ESTALE)
		return "replaced since it was mapped";
	if (by_path == -ENOENT)
		return "deleted";
	if (by_path == -EACCES || by_path == -EPERM)
		return "no permission to read it";
	return "could not be opened";
}

/* Whether it is useless to try the file's path as well. */
static bool is_final(int by_map)
{
	return by_map == -ETIMEDOUT || by_map == -EBUSY || by_map == -EFBIG;
}

/* Sets *@a's descriptor, or -1 and *@note (borrowed text). */
static void open_by_any(struct images *m, uint32_t pid, uint64_t start, uint64_t end,
			const char *path, const struct identity *want, struct opener_answer *a,
			const char **note)
{
	int by_map = open_map_file(m, pid, start, end, want, a), by_path = -ENOENT, rc;

	if (!by_map)
		return;
	if (path[0] != '/') {
		*note = "not a file";
		return;
	}
	for (size_t i = 0; !is_final(by_map) && i < roots_count(m->roots); i++) {
		rc = identity_open(m->opener, roots_at(m->roots, i), path, want, a);
		if (!rc)
			return;
		if (by_path == -ENOENT)
			by_path = rc;
	}
	*note = why_not(by_map, by_path);
}

static void open_mapped(struct images *m, uint32_t pid, uint64_t start, uint64_t end,
			const char *path, const struct identity *want, struct opener_answer *a,
			const char **note)
{
	open_by_any(m, pid, start, end, path, want, a, note);
	if (a->fd < 0 || images_may_hold(m, pid, a->fd))
		return;
	opener_answer_release(m->opener, a);
	*note = why_not(-EMFILE, 0);
}

int images_open_again(const struct image *image)
{
	const struct identity want = of_image(image);
	struct opener_answer a = {.rc = -ENOENT, .fd = -1};

	if (image->path[0] != '/')
		return -1;
	if (image->root_fd >= 0)
		(void)identity_open(image->opener, image->root_fd, image->path, &want, &a);
	if (a.fd < 0)
		(void)identity_open(image->opener, OPENER_OWN_ROOT, image->path, &want, &a);
	return a.fd;
}

uint64_t image_inode(const struct image *image)
{
	struct stat st;

	if (image->inode)
		return image->inode;
	return image->fd >= 0 && !fstat(image->fd, &st) ? st.st_ino : 0;
}

/* The image known by @id, or IMAGE_NONE. */
static uint32_t find(const struct images *m, const struct identity *id, const char *path)
{
	const uint32_t *number = map_get(&m->by_key, identity_key(id, path));
	const struct alias *alias = number ? &m->aliases.at[*number] : NULL;

	if (!alias || !identity_same(&alias->id, id))
		return IMAGE_NONE;
	if (!id->build_id_bytes && !id->inode && strcmp(m->at.at[alias->image]->path, path))
		return IMAGE_NONE;
	return alias->image;
}

static void add_alias(struct images *m, const struct identity *id, const char *path, uint32_t image)
{
	bool fresh;

	*map_put(&m->by_key, identity_key(id, path), &fresh) = (uint32_t)m->aliases.n;
	vec_push(&m->aliases, ((struct alias){.id = *id, .image = image}));
}

/* Which image of the same build has the same file as @fd; IMAGE_NONE: none. */
static uint32_t find_copy(const struct images *m, uint32_t first, int fd)
{
	if (!m->separate_copies || fd < 0)
		return first;
	for (uint32_t i = first; i != IMAGE_NONE; i = m->at.at[i]->next_copy)
		if (samefile(m->at.at[i]->fd, fd))
			return i;
	return IMAGE_NONE;
}

static void link_copy(struct images *m, uint32_t first, uint32_t number)
{
	m->at.at[number]->first = first;
	m->at.at[number]->next_copy = m->at.at[first]->next_copy;
	m->at.at[first]->next_copy = number;
}

static bool keeps_frames(const char *path)
{
	const struct runtime *r = runtime_of(path);

	return r && r->framed;
}

/* Takes over the descriptor of @a. Returns the new image's number, or that of an older image with
 * the same build-id. */
static uint32_t add_file(struct images *m, const char *path, const struct identity *id,
			 const struct opener_answer *a, uint64_t owner, const char *note)
{
	const int fd = a->fd;
	struct identity full = *id;
	struct image *image;
	uint32_t number, first;

	if (!full.build_id_bytes && fd >= 0)
		full.build_id_bytes = identity_read_build_id(fd, m->pool, owner, full.build_id);
	first = full.build_id_bytes ? find(m, &full, path) : IMAGE_NONE;
	number = first != IMAGE_NONE ? find_copy(m, first, fd) : IMAGE_NONE;
	/* The inode of a copy in memory does not identify the file. */
	if (a->is_copy && !full.inode)
		full.inode = a->inode;
	if (number != IMAGE_NONE) {
		opener_close(m->opener, fd);
	} else {
		number = images_add(m, IMAGE_KIND_FILE, path);
		image = m->at.at[number];
		image->fd = fd;
		image->is_copy = a->is_copy;
		image->owner = owner;
		image->note = note ? mem_strdup(note) : NULL;
		image->framed = keeps_frames(path);
		image->build_id_bytes = full.build_id_bytes;
		memcpy(image->build_id, full.build_id, full.build_id_bytes);
		image->dev_major = full.dev_major;
		image->dev_minor = full.dev_minor;
		image->inode = full.inode;
		if (first == IMAGE_NONE)
			add_alias(m, &full, path, number);
		else
			link_copy(m, first, number);
	}
	if (!id->build_id_bytes && full.build_id_bytes)
		add_alias(m, id, path, number);
	return number;
}

/* The user whose pool of budgets pays for reading the file. */
static uint64_t payer_of(const struct opener_answer *a, uint32_t pid, int root_fd)
{
	const bool is_named = a->links && !a->is_copy;
	const uint64_t device = makedev(a->device_major, a->device_minor);

	return budget_owner_of(is_named ? a->uid : owner_uid(pid), device, root_fd < 0);
}

/* Sets the mapper: the user of @pid, or nobody if that has ended. Later mappers do not count: they
 * may map another file with the same build-id, and did not choose this one. */
static void set_mapper(struct images *m, struct image *image, uint32_t pid)
{
	if (image->has_mapper)
		return;
	if (!owner_of(pid, &image->mapper))
		image->mapper = (struct owner){.uid = OWNER_NOBODY, .gid = OWNER_NOBODY};
	image->has_mapper = true;
	images_held(m, image, true);
}

/* The path without the " (deleted)" that the kernel appends; the caller frees it. */
static char *path_of(const struct image_id *id, bool *is_deleted)
{
	static const char deleted[] = " (deleted)";

	*is_deleted = str_ends(id->path, deleted);
	return mem_strndup(id->path, strlen(id->path) - (*is_deleted ? sizeof(deleted) - 1 : 0));
}

uint32_t images_known(struct images *m, const struct image_id *id)
{
	const struct identity want = of_id(id);
	bool is_deleted;
	_free_ char *path = path_of(id, &is_deleted);
	const uint32_t number = find(m, &want, path);

	if (number != IMAGE_NONE)
		m->at.at[number]->asked = m->round;
	return number;
}

uint32_t images_file(struct images *m, uint32_t pid, uint64_t start, uint64_t end,
		     const struct image_id *id)
{
	const struct identity want = of_id(id);
	bool is_deleted;
	_free_ char *path = path_of(id, &is_deleted);
	const char *note = is_deleted ? "deleted" : NULL;
	uint32_t number = images_known(m, id);
	struct opener_answer a = {.fd = -1};
	int root_fd;

	if (number != IMAGE_NONE)
		return number;
	root_fd = roots_of(m->roots, pid);
	if (path[0] != '[')
		open_mapped(m, pid, start, end, path, &want, &a, &note);
	/* A deleted file that is not ELF holds a JIT's code: treat it like anonymous memory. */
	if ((is_deleted && a.fd >= 0 && !elffile_is(a.fd)) ||
	    (str_starts(path, "/memfd:") && a.fd < 0)) {
		opener_answer_release(m->opener, &a);
		return images_jit(m, pid);
	}
	number = add_file(m, path, &want, &a, payer_of(&a, pid, root_fd), note);
	if (m->at.at[number]->root_fd < 0)
		m->at.at[number]->root_fd = root_fd;
	set_mapper(m, m->at.at[number], pid);
	return number;
}

static void swap_paths(struct image *image)
{
	char *path = image->path;

	image->path = image->other_path;
	image->other_path = path;
}

void images_executed(struct images *m, uint32_t number, uint32_t pid, const char *comm, bool fresh)
{
	struct image *image = images_at(m, number);
	struct executed_file f = {.pid = pid, .comm = comm};
	char *path;

	if (image->kind != IMAGE_KIND_FILE || image->fd < 0 || image->many_names ||
	    (!fresh && !image->other_path) ||
	    (image->other_path && !strncmp(str_base(image->path), comm, PROCFS_COMM - 1)))
		return;
	f.path = image->other_path ? image->other_path : image->path;
	f.root_fd = image->root_fd;
	f.id = of_image(image);
	path = executed_path(m->opener, &f);
	if (!image->other_path && path) {
		image->other_path = path;
		swap_paths(image);
		return;
	}
	/* As BusyBox has it. */
	if (image->other_path && ((path && strcmp(path, image->path) != 0) ||
				  !strncmp(str_base(image->other_path), comm, PROCFS_COMM - 1))) {
		image->many_names = true;
		swap_paths(image);
	}
	free(path);
}

/* Whether an image uses the descriptor as its process's root. */
static bool is_root_of_any(void *context, int fd)
{
	const struct images *m = context;

	for (size_t i = 0; i < m->at.n; i++)
		if (m->at.at[i] && m->at.at[i]->root_fd == fd)
			return true;
	return false;
}

/* Takes the image @number out of the list of images of its build. If it was the first, the next one
 * becomes the first: returns that, else IMAGE_NONE. */
static uint32_t unlink_copy(struct images *m, uint32_t number)
{
	const struct image *image = m->at.at[number];
	const uint32_t heir = image->next_copy;
	uint32_t *link = &m->at.at[image->first]->next_copy;

	if (image->first != number) {
		while (*link != number)
			link = &m->at.at[*link]->next_copy;
		*link = heir;
		return IMAGE_NONE;
	}
	for (uint32_t i = heir; i != IMAGE_NONE; i = m->at.at[i]->next_copy)
		m->at.at[i]->first = heir;
	return heir;
}

/* Makes the image @heir the one that is found for the build, instead of @number. */
static void inherit_build(struct images *m, uint32_t number, uint32_t heir)
{
	for (size_t i = 0; i < m->aliases.n && heir != IMAGE_NONE; i++)
		if (m->aliases.at[i].image == number && m->aliases.at[i].id.build_id_bytes)
			m->aliases.at[i].image = heir;
}

/* Rebuilds the maps by key and by pid from the images that remain. */
static void forget_keys(struct images *m)
{
	struct map by_key = {0}, by_pid = {0};
	size_t n = 0;
	bool fresh;

	for (size_t i = 0; i < m->aliases.n; i++) {
		const struct alias *a = &m->aliases.at[i];
		const struct image *image = m->at.at[a->image];
		uint64_t key = image ? identity_key(&a->id, image->path) : 0;
		const uint32_t *known = image ? map_get(&m->by_key, key) : NULL;

		if (!known || *known != i)
			continue;
		*map_put(&by_key, key, &fresh) = (uint32_t)n;
		m->aliases.at[n++] = *a;
	}
	m->aliases.n = n;
	for (uint32_t i = IMAGE_FIRST; i < m->at.n; i++) {
		const struct image *image = m->at.at[i];
		const uint32_t *now = image ? map_get(&m->by_pid, image->jit_pid) : NULL;

		if (now && *now == i)
			*map_put(&by_pid, image->jit_pid, &fresh) = i;
	}
	map_release(&m->by_key);
	map_release(&m->by_pid);
	m->by_key = by_key;
	m->by_pid = by_pid;
}

bool images_is_stale(const struct images *m, uint32_t image)
{
	return m->at.at[image]->asked + 1 < m->round;
}

void images_forget(struct images *m, const uint8_t *used)
{
	for (uint32_t i = IMAGE_FIRST; i < m->at.n; i++) {
		struct image *image = m->at.at[i];

		if (!image || used[i] || (image->kind != IMAGE_KIND_JIT && !images_is_stale(m, i)))
			continue;
		inherit_build(m, i, unlink_copy(m, i));
		images_held(m, image, false);
		opener_close(m->opener, image->fd);
		image->fd = -1;
		image_free(image);
		m->at.at[i] = NULL;
		vec_push(&m->unused, i);
	}
	m->round++;
	forget_keys(m);
	roots_forget(m->roots, is_root_of_any, m);
}

uint32_t perf_map_user(uint32_t pid)
{
	_free_ char *status = procfs_status(pid);
	const char *ids = status ? procfs_field(status, "Uid") : NULL;

	return ids ? (uint32_t)strtoul(ids, NULL, 10) : UINT32_MAX;
}

static bool may_read(const struct opener_answer *a, uint32_t user)
{
	return a->links == 1 && (a->uid == user || (a->uid == 0 && a->mode & S_IROTH));
}

int perf_map_open(struct opener *opener, int root_fd, uint32_t pid, uint32_t user)
{
	char path[48];
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = root_fd, .no_links = true};
	struct opener_answer a;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	if (!opener_ask(opener, &r, &a) && !may_read(&a, user))
		opener_answer_release(opener, &a);
	return a.fd;
}

int images_open_perf_map(const struct image *image)
{
	return perf_map_open(image->opener, image->root_fd, image->jit_ns_pid, image->jit_uid);
}

uint32_t images_jit(struct images *m, uint32_t pid)
{
	struct image *image;
	uint32_t *number;
	bool fresh;

	number = map_put(&m->by_pid, pid, &fresh);
	if (!fresh && *number)
		return *number;
	*number = images_add(m, IMAGE_KIND_JIT, "//anon");
	image = m->at.at[*number];
	image->jit_pid = pid;
	image->jit_ns_pid = procfs_namespace_pid(pid);
	image->jit_uid = perf_map_user(pid);
	image->root_fd = roots_of(m->roots, pid);
	image->fd = images_open_perf_map(image);
	return *number;
}

/* The most ticks between two attempts to find a perf map: some 10 s. */
#define JIT_WAIT_MOST 100

/* A process writes its perf map after it has made memory executable, perhaps long after. */
static void retry_perf_map(struct image *image)
{
	if (image->fd >= 0 || image->jit_ticks-- > 0)
		return;
	image->fd = images_open_perf_map(image);
	image->jit_wait = 2 * image->jit_wait + 1;
	if (image->jit_wait > JIT_WAIT_MOST)
		image->jit_wait = JIT_WAIT_MOST;
	image->jit_ticks = image->jit_wait;
}

void images_tick(struct images *m)
{
	for (size_t i = 0; i < m->by_pid.cap; i++)
		if (m->by_pid.slots[i].used && m->by_pid.slots[i].value)
			retry_perf_map(m->at.at[m->by_pid.slots[i].value]);
}

void images_jit_end(struct images *m, uint32_t pid)
{
	uint32_t *number = map_get(&m->by_pid, pid);
	struct image *image;

	if (!number || !*number)
		return;
	image = m->at.at[*number];
	if (image->fd < 0)
		image->fd = images_open_perf_map(image);
	*number = 0;
}
