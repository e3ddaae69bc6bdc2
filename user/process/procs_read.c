/* A process's mappings, from the kernel's records and from /proc. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/allowance.h"
#include "process/copied.h"
#include "process/images.h"
#include "process/maps.h"
#include "process/owner.h"
#include "process/procfs.h"
#include "process/procs.h"

/* The kernel reports no munmap, so the known mappings of a process that maps and unmaps keep
 * growing. Once they have grown by so many, twice the default limit of a process, its maps are read
 * again. */
#define MOST_MORE (128u << 10)
/* The same between two windows: each mapping keeps its file open. */
#define MANY_MORE 1024

/* A process with more mappings is slow to copy and to change. */
#define LARGE 4096

/* Memory whose code is generated at run time: a place in it is the address itself. */
static bool is_anonymous(const char *path)
{
	static const char *const forms[] = {"//anon",	  "/dev/zero", "/SYSV",	 "anon_inode",
					    "/anon_huge", "[heap]",    "[stack", "[anon"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (str_starts(path, forms[i]))
			return true;
	}
	return path[0] == '\0';
}

/* Whose allowance pays for @proc. Looked up only when needed: many processes are short-lived. */
static uint32_t user_of(struct proc *proc)
{
	if (proc->uid == UID_UNKNOWN)
		proc->uid = owner_uid(proc->pid);
	return proc->uid;
}

/* A file that cannot be read now. */
static const struct mapping unread = {.image = IMAGE_UNREAD};

static struct mapping resolve(struct procs *p, struct proc *proc, const struct proc_mmap *r)
{
	struct mapping m = {.bias = r->file_offset - r->start};

	/* A 32-bit process has another vDSO than ours. */
	if (!strcmp(r->id.path, "[vdso]") && r->start > UINT32_MAX)
		return (struct mapping){.image = IMAGE_VDSO, .bias = -r->start};
	if (is_anonymous(r->id.path))
		return (struct mapping){.image = images_jit(p->images, r->pid)};
	m.image = images_known(p->images, &r->id);
	if (m.image == IMAGE_NONE) {
		if (!allowance_begin(p->allowance, user_of(proc)))
			return unread;
		m.image = images_file(p->images, r->pid, r->start, r->end, &r->id);
		images_executed(p->images, m.image, r->pid, proc->comm, true);
		allowance_end(p->allowance);
	} else {
		images_executed(p->images, m.image, r->pid, proc->comm, false);
	}
	if (images_at(p->images, m.image)->kind == IMAGE_KIND_JIT)
		m.bias = 0;
	return m;
}

static void add(struct procs *p, const struct proc_mmap *r)
{
	struct proc *proc = procs_find(p, r->pid);
	struct mapping m = resolve(p, proc, r);

	m.start = r->start;
	m.end = r->end;
	p->remaps += maps_add(&proc->maps, &m);
}

static void procs_drop_mappings(struct proc *proc)
{
	maps_release(&proc->maps);
	proc->unread = true;
}

static void read_again(struct procs *p, struct proc *proc)
{
	procs_drop_mappings(proc);
	procs_read_again(p, proc);
	p->remaps++;
}

/* Reads again the maps of processes that have mapped many files since, and may have unmapped
 * some. */
static void procs_forget_unmapped(struct procs *p)
{
	for (size_t i = 0; i < p->procs.n; i++) {
		struct proc *proc = &p->procs.at[i];

		if (!proc->exited && proc->maps.at.n >= proc->n_read + MANY_MORE)
			read_again(p, proc);
	}
}

void procs_map(struct procs *p, const struct proc_mmap *r)
{
	struct proc *proc = procs_find(p, r->pid);

	if (proc->unread)
		return;
	if (proc->maps.at.n < LARGE) {
		add(p, r);
		return;
	}
	if (proc->maps.at.n >= proc->n_read + MOST_MORE) {
		read_again(p, proc);
	} else if (allowance_begin(p->allowance, user_of(proc))) {
		add(p, r);
		allowance_end(p->allowance);
	} else {
		procs_drop_mappings(proc);
	}
}

void procs_inherit(struct procs *p, struct proc *child, const struct proc *parent)
{
	const bool is_large = parent->maps.at.n >= LARGE;

	child->uid = UID_UNKNOWN;
	child->unread = parent->unread;
	if (is_large && !allowance_begin(p->allowance, user_of(child))) {
		procs_drop_mappings(child);
		return;
	}
	maps_copy(&child->maps, &parent->maps);
	child->n_read = parent->n_read;
	if (is_large)
		allowance_end(p->allowance);
}

void procs_trim_exited(struct proc *proc)
{
	if (proc->maps.at.n >= LARGE)
		procs_drop_mappings(proc);
}

/* --- /proc ---------------------------------------------------------------------------------- */

struct reading {
	struct procs *procs;
	uint32_t pid, uid;
	uint64_t asked; /* see copied.h */
	bool refused;	/* the user has used up its allowance: the rest is not read */
	/* The last mapping of a file, and what came after it: executable, and without one. */
	struct procfs_mapping near;
	char near_path[PATH_MAX];
	VEC(struct proc_mmap) nameless;
};

static struct proc_mmap record_of(const struct reading *reading, const struct procfs_mapping *m)
{
	return (struct proc_mmap){.pid = reading->pid,
				  .tid = reading->pid,
				  .start = m->start,
				  .end = m->end,
				  .file_offset = m->file_offset,
				  .id = {.path = m->path,
					 .dev_major = m->dev_major,
					 .dev_minor = m->dev_minor,
					 .inode = m->inode}};
}

/* Code may begin so far behind what is mapped of its file before: linkers align it. */
#define CODE_GAP (2u << 20)

/* Whether @near may be of a file whose code @m holds; @other is the file on @m's other side. */
static bool is_near(const struct proc_mmap *m, const struct procfs_mapping *near,
		    const struct procfs_mapping *other)
{
	const uint64_t gap = near->start < m->start ? m->start - near->end : near->start - m->end;

	if (!near->inode)
		return false;
	return gap <= CODE_GAP ||
	       (near->inode == other->inode && near->dev_major == other->dev_major &&
		near->dev_minor == other->dev_minor);
}

static enum copied compare(const struct reading *reading, const struct proc_mmap *m,
			   const struct procfs_mapping *near, struct mapping *out)
{
	struct procs *p = reading->procs;
	const struct proc_mmap r = record_of(reading, near);
	const struct copied_memory memory = {
		.pid = reading->pid, .start = m->start, .end = m->end, .asked = reading->asked};
	const uint32_t image = resolve(p, procs_find(p, reading->pid), &r).image;

	return image < IMAGE_FIRST ? COPIED_ELSEWHERE
				   : copied_compare(p->images, &memory, image, near, out);
}

static void add_nameless(const struct reading *reading, const struct proc_mmap *m,
			 const struct procfs_mapping *next)
{
	const struct procfs_mapping *const near[] = {&reading->near, next};
	struct procs *p = reading->procs;
	enum copied found = COPIED_ELSEWHERE;
	struct mapping copy;
	bool fresh;

	for (size_t i = 0; i < 2 && found != COPIED_SAME; i++) {
		enum copied one = COPIED_ELSEWHERE;

		if (is_near(m, near[i], near[1 - i]))
			one = compare(reading, m, near[i], &copy);
		found = one > found ? one : found;
	}
	if (found == COPIED_OTHER)
		map_put(&p->unlike, hash_two(reading->pid, m->start), &fresh);
	if (found == COPIED_SAME)
		p->remaps += maps_add(&procs_find(p, reading->pid)->maps, &copy);
	else
		add(p, m);
}

/* Adds what has no file and came since the last mapping of one; @next is the one that follows. */
static void settle(struct reading *reading, const struct procfs_mapping *next)
{
	for (size_t i = 0; i < reading->nameless.n; i++)
		add_nameless(reading, &reading->nameless.at[i], next);
	reading->nameless.n = 0;
}

static void take_mapping(void *context, const struct procfs_mapping *m)
{
	struct reading *reading = context;
	struct proc_mmap record = record_of(reading, m);

	if (m->executable && copied_is_candidate(m->path)) {
		record.id.path = "";
		vec_push(&reading->nameless, record);
		return;
	}
	if (m->inode && m->path[0] == '/') {
		settle(reading, m);
		reading->near = *m;
		snprintf(reading->near_path, sizeof(reading->near_path), "%s", m->path);
		reading->near.path = reading->near_path;
	}
	if (m->executable)
		add(reading->procs, &record);
}

/* The process's mappings; a negative errno: they could not be read. */
static int read_mappings(struct reading *reading)
{
	const struct procfs_mapping none = {.path = ""};
	int ret;

	reading->near = none;
	ret = mappings_read(reading->procs->images->opener, reading->pid, take_mapping, reading);
	settle(reading, &none);
	vec_release(&reading->nameless);
	return ret;
}

void procs_look_again(struct procs *p, uint32_t pid, uint64_t asked)
{
	struct reading reading = {.procs = p, .pid = pid, .asked = asked};

	if (!allowance_begin(p->allowance, user_of(procs_find(p, pid))))
		return;
	(void)read_mappings(&reading);
	allowance_end(p->allowance);
}

static void take_thread(void *context, uint32_t tid)
{
	struct reading *reading = context;

	if (reading->refused || procs_find_task(reading->procs, reading->pid, tid))
		return;
	reading->refused = !allowance_begin(reading->procs->allowance, reading->uid);
	if (reading->refused)
		return;
	procs_add_task(reading->procs, reading->pid, tid);
	allowance_end(reading->procs->allowance);
}

static int read_all(struct procs *p, struct reading *reading)
{
	const uint32_t pid = reading->pid;
	_free_ char *cgroup = NULL;
	struct proc *proc;

	if (procfs_threads(pid, take_thread, reading))
		return -ESRCH;
	cgroup = procfs_cgroup(pid);
	proc = procs_find(p, pid);
	proc->cgroup = intern_add(&p->strings, cgroup);
	proc->unread = false;
	if (read_mappings(reading))
		return -ESRCH;
	proc = procs_find(p, pid);
	proc->n_read = (uint32_t)proc->maps.at.n;
	return 0;
}

int procs_read(struct procs *p, uint32_t pid)
{
	struct reading reading = {.procs = p, .pid = pid, .uid = owner_uid(pid)};
	struct proc *proc = procs_find(p, pid);
	char comm[PROCFS_COMM];
	int ret;

	procfs_comm(pid, pid, comm);
	if (comm[0])
		procs_set_comm(proc->comm, comm);
	proc->uid = reading.uid;
	if (!allowance_begin(p->allowance, reading.uid)) {
		procs_drop_mappings(proc);
		return comm[0] ? 0 : -ESRCH;
	}
	ret = read_all(p, &reading);
	allowance_end(p->allowance);
	return ret;
}

void procs_read_again(struct procs *p, struct proc *proc)
{
	const uint32_t pid = proc->pid;

	if (!allowance_begin(p->allowance, user_of(proc)))
		return;
	if (procs_read(p, pid))
		procs_find(p, pid)->exited = true;
	allowance_end(p->allowance);
}

/* --- forgetting ------------------------------------------------------------------------------- */

bool procs_knows_code(const struct procs *p, uint32_t pid)
{
	const struct proc *proc = procs_find(p, pid);

	for (size_t i = 0; proc && i < proc->maps.at.n; i++)
		if (proc->maps.at.at[i].image == IMAGE_UNREAD)
			return false;
	return proc && !proc->unread;
}

void procs_mark_images(const struct procs *p, uint8_t *used)
{
	for (size_t i = 0; i < p->procs.n; i++) {
		const struct maps *maps = &p->procs.at[i].maps;

		for (size_t k = 0; k < maps->at.n; k++)
			used[maps->at.at[k].image] = 1;
	}
}

/* Marks as exited the processes and threads that /proc no longer shows. */
static void mark_exited(struct procs *p)
{
	char comm[PROCFS_COMM];

	for (size_t i = 0; i < p->procs.n; i++) {
		struct proc *proc = &p->procs.at[i];

		if (proc->pid == IDLE || proc->pid == PROCFS_OUTSIDE)
			continue;
		procfs_comm(proc->pid, proc->pid, comm);
		proc->exited |= !comm[0];
	}
	for (size_t i = 0; i < p->tasks.n; i++) {
		struct task *task = &p->tasks.at[i];

		if (task->pid == IDLE || task->pid == PROCFS_OUTSIDE)
			continue;
		procfs_comm(task->pid, task->tid, comm);
		task->exited |= !comm[0];
	}
}

/* A process whose main thread has ended lives as long as another thread does. Ended ones that an
 * entry refers to keep their names. */
static void forget_procs(struct procs *p, const uint32_t *entries)
{
	struct map alive = {0}, named = {0}, by_pid = {0};
	struct intern strings = {0};
	size_t n = 0;
	bool fresh;

	for (size_t i = 0; i < p->tasks.n; i++)
		if (!p->tasks.at[i].exited)
			map_put(&alive, p->tasks.at[i].pid, &fresh);
	for (size_t i = 0; i < p->entries.n; i++)
		if (entries[i])
			map_put(&named, p->entries.at[i].pid, &fresh);
	for (size_t i = 0; i < p->procs.n; i++) {
		struct proc *proc = &p->procs.at[i];

		if (proc->exited && !map_get(&alive, proc->pid)) {
			maps_release(&proc->maps);
			if (!map_get(&named, proc->pid))
				continue;
		}
		proc->cgroup = intern_add(&strings, intern_text(&p->strings, proc->cgroup));
		*map_put(&by_pid, proc->pid, &fresh) = (uint32_t)n;
		p->procs.at[n++] = *proc;
	}
	p->procs.n = n;
	map_release(&alive);
	map_release(&named);
	map_release(&p->by_pid);
	intern_release(&p->strings);
	p->by_pid = by_pid;
	p->strings = strings;
}

static void forget_tasks(struct procs *p)
{
	struct map by_task = {0};
	size_t n = 0;
	bool fresh;

	for (size_t i = 0; i < p->tasks.n; i++) {
		const struct task *t = &p->tasks.at[i];

		if (t->exited || !procs_find(p, t->pid))
			continue;
		*map_put(&by_task, (uint64_t)t->pid << 32 | t->tid, &fresh) = (uint32_t)n;
		p->tasks.at[n++] = *t;
	}
	p->tasks.n = n;
	map_release(&p->by_task);
	p->by_task = by_task;
}

static void forget_entries(struct procs *p, uint32_t *entries)
{
	struct map by_name = {0};
	uint32_t n = 0;
	bool fresh;

	for (uint32_t i = 0; i < p->entries.n; i++) {
		const struct proc_thread *e = &p->entries.at[i];
		const uint32_t generation = p->entry_generation.at[i];

		if (!entries[i]) {
			entries[i] = NO_PROC_THREAD;
			continue;
		}
		*map_put(&by_name, procs_name_key(e->pid, e->tid, generation, e->comm), &fresh) = n;
		p->entries.at[n] = *e;
		p->entry_generation.at[n] = generation;
		entries[i] = n++;
	}
	p->entries.n = p->entry_generation.n = n;
	map_release(&p->by_name);
	p->by_name = by_name;
}

void procs_forget(struct procs *p, uint32_t *entries, bool records_lost)
{
	if (records_lost)
		mark_exited(p);
	procs_forget_unmapped(p);
	forget_procs(p, entries);
	forget_tasks(p);
	for (size_t i = 0; i < p->tasks.n; i++)
		if (p->tasks.at[i].entry != NO_ENTRY)
			entries[p->tasks.at[i].entry] = 1;
	forget_entries(p, entries);
	for (size_t i = 0; i < p->tasks.n; i++)
		if (p->tasks.at[i].entry != NO_ENTRY)
			p->tasks.at[i].entry = entries[p->tasks.at[i].entry];
}
