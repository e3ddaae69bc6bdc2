#include "process/procs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/maps.h"
#include "process/mappings.h"
#include "process/procfs.h"
#include "process/procs_state.h"

/* The kernel's name of the idle loop. */
#define IDLE_NAME "swapper"

/* All that PROCFS_OUTSIDE stands for. */
#define OUTSIDE_NAME "[outside]"

struct procs *procs_new(struct images *images)
{
	struct procs *p = mem_zalloc(1, sizeof(*p));

	p->images = images;
	return p;
}

void procs_free(struct procs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->procs.n; i++)
		maps_release(&p->procs.at[i].maps);
	vec_release(&p->procs);
	vec_release(&p->tasks);
	vec_release(&p->entries);
	vec_release(&p->entry_life);
	map_release(&p->by_pid);
	map_release(&p->by_task);
	map_release(&p->by_name);
	intern_release(&p->strings);
	free(p);
}

static struct proc *add_proc(struct procs *p, uint32_t pid)
{
	struct proc *proc;
	bool fresh;

	*map_put(&p->by_pid, pid, &fresh) = (uint32_t)p->procs.n;
	proc = vec_add(&p->procs);
	proc->pid = pid;
	return proc;
}

static void set_comm(char to[PROCFS_COMM], const char *from)
{
	size_t n = strnlen(from, PROCFS_COMM - 1);

	memset(to, 0, PROCFS_COMM);
	memcpy(to, from, n);
}

/* --- mappings ------------------------------------------------------------------------------- */

/* Memory whose code is made at run time: places in it are the addresses themselves. */
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

static struct mapping resolve(struct procs *p, const struct proc_mmap *r)
{
	struct mapping m = {.start = r->start, .end = r->end};

	/* A 32-bit process has a vDSO of its own make, which is not ours. */
	if (!strcmp(r->id.path, "[vdso]") && r->start > UINT32_MAX) {
		m.image = IMAGE_VDSO;
		m.bias = -r->start;
		return m;
	}
	if (is_anonymous(r->id.path))
		m.image = images_jit(p->images, r->pid);
	else
		m.image = images_file(p->images, r->pid, r->start, r->end, &r->id);
	if (images_at(p->images, m.image)->kind != IMAGE_KIND_JIT)
		m.bias = r->file_offset - r->start;
	return m;
}

static void add_mapping(struct procs *p, const struct proc_mmap *r)
{
	const struct mapping m = resolve(p, r);

	p->remaps += maps_add(&procs_find(p, r->pid)->maps, &m);
}

struct reading {
	struct procs *procs;
	uint32_t pid;
};

static void take_mapping(void *context, const struct procfs_mapping *m)
{
	const struct reading *reading = context;
	const struct proc_mmap record = {.pid = reading->pid,
					 .tid = reading->pid,
					 .start = m->start,
					 .end = m->end,
					 .file_offset = m->file_offset,
					 .id = {.path = m->path,
						.dev_major = m->dev_major,
						.dev_minor = m->dev_minor,
						.inode = m->inode}};

	add_mapping(reading->procs, &record);
}

/* --- threads -------------------------------------------------------------------------------- */

/* The thread's state as at its birth; made where it is not known. */
static struct task *start_task(struct procs *p, uint32_t pid, uint32_t tid, const char *comm,
			       uint64_t start_ns)
{
	struct task *task;
	uint32_t *i;
	bool fresh;

	i = map_put(&p->by_task, ((uint64_t)pid << 32) | tid, &fresh);
	if (fresh) {
		*i = (uint32_t)p->tasks.n;
		vec_add(&p->tasks);
	}
	task = &p->tasks.at[*i];
	task->pid = pid;
	task->tid = tid;
	set_comm(task->comm, comm);
	task->start_ns = start_ns;
	task->life++;
	task->entry = NO_ENTRY;
	task->exited = false;
	return task;
}

static struct task *need_task(struct procs *p, uint32_t pid, uint32_t tid)
{
	struct task *task = procs_find_task(p, pid, tid);
	const struct proc *proc;
	char comm[PROCFS_COMM];

	if (task)
		return task;
	if (pid == IDLE)
		snprintf(comm, sizeof(comm), IDLE_NAME "/%u", tid);
	else if (pid == PROCFS_OUTSIDE)
		set_comm(comm, OUTSIDE_NAME);
	else
		procfs_comm(pid, tid, comm);
	proc = procs_find(p, pid);
	task = start_task(p, pid, tid, comm[0] || !proc ? comm : proc->comm, 0);
	/* A late record of one that has ended: nobody will tell that again. */
	task->exited = !comm[0];
	return task;
}

static void take_thread(void *context, uint32_t tid)
{
	const struct reading *reading = context;

	need_task(reading->procs, reading->pid, tid);
}

static void take_executable(void *context, const struct procfs_mapping *m)
{
	if (m->executable)
		take_mapping(context, m);
}

/* --- processes ------------------------------------------------------------------------------ */

/* Reads what /proc says of @pid into its entry. */
static int read_proc(struct procs *p, uint32_t pid)
{
	struct reading reading = {p, pid};
	_free_ char *cgroup = NULL;
	char comm[PROCFS_COMM];
	uint32_t cgroup_id;

	procfs_comm(pid, pid, comm);
	if (procfs_threads(pid, take_thread, &reading))
		return -ESRCH;
	cgroup = procfs_cgroup(pid);
	cgroup_id = intern_add(&p->strings, cgroup);
	if (comm[0])
		set_comm(procs_find(p, pid)->comm, comm);
	procs_find(p, pid)->cgroup = cgroup_id;
	return mappings_read(images_opener(p->images), pid, take_executable, &reading) ? -ESRCH : 0;
}

/* Valid until the next process is made known. */
static struct proc *need_proc(struct procs *p, uint32_t pid)
{
	struct proc *proc = procs_find(p, pid);

	if (proc)
		return proc;
	add_proc(p, pid);
	if (pid == IDLE)
		set_comm(procs_find(p, pid)->comm, IDLE_NAME);
	else if (pid == PROCFS_OUTSIDE)
		set_comm(procs_find(p, pid)->comm, OUTSIDE_NAME);
	else if (read_proc(p, pid))
		procs_find(p, pid)->exited = true;
	return procs_find(p, pid);
}

int procs_snapshot(struct procs *p, uint32_t pid)
{
	struct proc *proc = procs_find(p, pid);

	if (!proc)
		proc = add_proc(p, pid);
	if (read_proc(p, pid))
		return err(-ESRCH, "no process %u", pid);
	procs_find(p, pid)->exited = false;
	return 0;
}

static void snapshot_one(void *context, uint32_t pid)
{
	struct procs *p = context;

	if (!procs_find(p, pid))
		add_proc(p, pid);
	read_proc(p, pid);
}

int procs_snapshot_all(struct procs *p)
{
	if (procfs_processes(snapshot_one, p))
		return err(-ENOENT, "cannot read /proc");
	return 0;
}

void procs_mmap(struct procs *p, const struct proc_mmap *r, uint64_t time_ns)
{
	(void)time_ns;
	need_proc(p, r->pid);
	add_mapping(p, r);
}

void procs_comm(struct procs *p, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		uint64_t time_ns)
{
	struct proc *proc = need_proc(p, pid);
	struct task *task = need_task(p, pid, tid);

	if (tid == pid)
		set_comm(proc->comm, comm);
	if (exec) {
		proc->maps.at.n = 0;
		images_jit_end(p->images, pid);
		start_task(p, pid, tid, comm, time_ns);
	} else if (strncmp(task->comm, comm, PROCFS_COMM - 1)) {
		set_comm(task->comm, comm);
		task->start_ns = time_ns;
		task->entry = NO_ENTRY;
	}
}

void procs_fork(struct procs *p, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		uint32_t tid, uint64_t time_ns)
{
	const struct task *parent_task;
	struct proc *parent, *child;
	char comm[PROCFS_COMM];

	need_proc(p, parent_pid);
	parent_task = need_task(p, parent_pid, parent_tid);
	memcpy(comm, parent_task->comm, sizeof(comm));
	if (!comm[0])
		procfs_comm(pid, tid, comm);
	start_task(p, pid, tid, comm, time_ns);
	if (pid == parent_pid)
		return;
	if (procs_find(p, pid))
		images_jit_end(p->images, pid); /* the pid was another process's before */
	else
		add_proc(p, pid);
	parent = procs_find(p, parent_pid);
	child = procs_find(p, pid);
	maps_copy(&child->maps, &parent->maps);
	child->cgroup = parent->cgroup;
	child->exited = false;
	child->born_ns = time_ns;
	set_comm(child->comm, comm);
	/* The parent was gone before anybody looked. */
	if (!child->maps.at.n)
		(void)read_proc(p, pid);
}

void procs_exit(struct procs *p, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct proc *proc = procs_find(p, pid);
	struct task *task = procs_find_task(p, pid, tid);

	(void)time_ns;
	if (task)
		task->exited = true;
	if (!proc || tid != pid)
		return;
	proc->exited = true;
	images_jit_end(p->images, pid);
}

void procs_each_image(const struct procs *p, uint32_t pid,
		      void (*each)(void *context, uint32_t image), void *context)
{
	const struct proc *proc = procs_find(p, pid);

	for (size_t i = 0; proc && i < proc->maps.at.n; i++)
		if (proc->maps.at.at[i].image >= IMAGE_FIRST)
			each(context, proc->maps.at.at[i].image);
}

struct place procs_place(struct procs *p, uint32_t pid, uint64_t address)
{
	struct place place = {.offset = address, .image = IMAGE_NONE};

	if (maps_place(&need_proc(p, pid)->maps, address, &place))
		place.image = images_at(p->images, place.image)->first;
	return place;
}

bool procs_is_jit(const struct procs *p, struct place place)
{
	return images_at(p->images, place.image)->kind == IMAGE_KIND_JIT;
}

/* --- entries -------------------------------------------------------------------------------- */

static bool is_entry_of(const struct procs *p, uint32_t i, const struct task *t)
{
	const struct proc_thread *e = &p->entries.at[i];

	return e->pid == t->pid && e->tid == t->tid && p->entry_life.at[i] == t->life &&
	       !memcmp(e->comm, t->comm, sizeof(e->comm));
}

static uint32_t add_entry(struct procs *p, const struct task *t)
{
	struct proc_thread *e = vec_add(&p->entries);

	e->pid = t->pid;
	e->tid = t->tid;
	e->start_ns = t->start_ns;
	e->born_ns = procs_find(p, t->pid)->born_ns;
	memcpy(e->comm, t->comm, sizeof(e->comm));
	vec_push(&p->entry_life, t->life);
	return (uint32_t)(p->entries.n - 1);
}

uint32_t procs_thread(struct procs *p, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct task *task;
	uint32_t *i;
	bool fresh;

	(void)time_ns;
	need_proc(p, pid);
	task = need_task(p, pid, tid);
	if (task->entry != NO_ENTRY)
		return task->entry;
	/* A thread that goes back to an old name goes back to its entry. */
	i = map_put(&p->by_name, procs_name_key(task->pid, task->tid, task->life, task->comm),
		    &fresh);
	if (fresh || !is_entry_of(p, *i, task))
		*i = add_entry(p, task);
	task->entry = *i;
	return task->entry;
}

uint32_t procs_thread_count(const struct procs *p)
{
	return (uint32_t)p->entries.n;
}

const struct proc_thread *procs_thread_at(const struct procs *p, uint32_t thread)
{
	return thread < p->entries.n ? &p->entries.at[thread] : NULL;
}

const char *procs_name(const struct procs *p, uint32_t pid)
{
	const struct proc *proc = procs_find(p, pid);

	return proc ? proc->comm : "";
}

const char *procs_cgroup(const struct procs *p, uint32_t pid)
{
	const struct proc *proc = procs_find(p, pid);

	return proc ? intern_text(&p->strings, proc->cgroup) : "";
}

uint64_t procs_remaps(const struct procs *p)
{
	return p->remaps;
}
