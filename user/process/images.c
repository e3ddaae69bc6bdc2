#include "process/images.h"

#include <errno.h>
#include <fcntl.h>
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
#include "process/filecopy.h"
#include "process/identity.h"
#include "process/images_state.h"
#include "process/maps.h"
#include "process/opener.h"
#include "process/owner.h"
#include "process/procfs.h"
#include "process/roots.h"

uint32_t images_add(struct images *m, enum image_kind kind, const char *path)
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

/* Every mapped file holds a descriptor until it is named; the soft limit is for select(2).
 * Returns how many there may be. */
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

size_t images_count(const struct images *m)
{
	return m->at.n;
}

uint32_t images_made(const struct images *m)
{
	return m->serial;
}

struct image *images_at(struct images *m, uint32_t image)
{
	return image < m->at.n ? m->at.at[image] : NULL;
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

/* What to say of a file that could not be opened: the first cause that is not mere absence. */
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

/* Whether there is no use in looking for the file under its name. */
static bool is_final(int by_map)
{
	return by_map == -ETIMEDOUT || by_map == -EBUSY || by_map == -EFBIG;
}

/* A descriptor in *@a, or -1 there with *@note set (borrowed text). */
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

static void know(struct images *m, const struct identity *id, const char *path, uint32_t image)
{
	bool fresh;

	*map_put(&m->by_key, identity_key(id, path), &fresh) = (uint32_t)m->aliases.n;
	vec_push(&m->aliases, ((struct alias){.id = *id, .image = image}));
}

/* Which of the images of one build the open file @fd is of; IMAGE_NONE: of none. */
static uint32_t find_copy(const struct images *m, uint32_t first, int fd)
{
	if (!m->parts_copies || fd < 0)
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

/* Takes over the descriptor of @a. The number of the image, an older one where the build-id is
 * known already. */
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
	/* A copy's inode says nothing. */
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
		image->build_id_bytes = full.build_id_bytes;
		memcpy(image->build_id, full.build_id, full.build_id_bytes);
		image->dev_major = full.dev_major;
		image->dev_minor = full.dev_minor;
		image->inode = full.inode;
		if (first == IMAGE_NONE)
			know(m, &full, path, number);
		else
			link_copy(m, first, number);
	}
	if (!id->build_id_bytes && full.build_id_bytes)
		know(m, id, path, number);
	return number;
}

/* For the pool of budgets. */
static uint64_t payer_of(const struct opener_answer *a, uint32_t pid, int root_fd)
{
	const bool is_named = a->links && !a->is_copy;
	const uint64_t device = makedev(a->device_major, a->device_minor);

	return budget_owner_of(is_named ? a->uid : owner_uid(pid), device, root_fd < 0);
}

/* Of a process that has ended: nobody in particular. Others may map a file that says it is the same
 * build: they did not choose this one. */
static void set_mapper(struct images *m, struct image *image, uint32_t pid)
{
	if (image->has_mapper)
		return;
	if (!owner_of(pid, &image->mapper))
		image->mapper = (struct owner){.uid = OWNER_NOBODY, .gid = OWNER_NOBODY};
	image->has_mapper = true;
	images_held(m, image, true);
}

/* The path without what the kernel puts behind that of a deleted file; the caller's to free. */
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
	/* What a JIT writes to a file without a name is as good as anonymous. */
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

void images_set_opener(struct images *m, struct opener *opener)
{
	m->opener = opener;
}

void images_set_budgets(struct images *m, struct budget_pool *pool)
{
	m->pool = pool;
}

struct opener *images_opener(const struct images *m)
{
	return m->opener;
}

void images_part_copies(struct images *m)
{
	m->parts_copies = true;
}

void images_set_kernel_names(struct images *m, kallsyms_ask_fn ask)
{
	m->kernel_names = ask;
}

kallsyms_ask_fn images_kernel_names(const struct images *m)
{
	return m->kernel_names;
}

void images_set_patience(struct images *m, const struct crew_wait *wait)
{
	m->patience = wait;
}

const struct crew_wait *images_patience(const struct images *m)
{
	return m->patience;
}
