#include "process/procs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/maps.h"
#include "process/procfs.h"

/* The kernel's name for the idle task. */
#define IDLE_NAME "swapper"

/* The name for all processes that PROCFS_OUTSIDE stands for. */
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
	vec_release(&p->entry_generation);
	map_release(&p->by_pid);
	map_release(&p->by_task);
	map_release(&p->by_name);
	map_release(&p->unlike);
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

void procs_set_comm(char to[PROCFS_COMM], const char *from)
{
	size_t n = strnlen(from, PROCFS_COMM - 1);

	memset(to, 0, PROCFS_COMM);
	memcpy(to, from, n);
}

/* --- threads -------------------------------------------------------------------------------- */

/* Resets the thread's state to that at its birth; adds the thread if it is new. */
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
	procs_set_comm(task->comm, comm);
	task->start_ns = start_ns;
	task->generation++;
	task->entry = NO_ENTRY;
	task->exited = false;
	return task;
}

struct task *procs_add_task(struct procs *p, uint32_t pid, uint32_t tid)
{
	struct task *task = procs_find_task(p, pid, tid);
	const struct proc *proc;
	char comm[PROCFS_COMM];

	if (task)
		return task;
	if (pid == IDLE)
		snprintf(comm, sizeof(comm), IDLE_NAME "/%u", tid);
	else if (pid == PROCFS_OUTSIDE)
		procs_set_comm(comm, OUTSIDE_NAME);
	else
		procfs_comm(pid, tid, comm);
	proc = procs_find(p, pid);
	task = start_task(p, pid, tid, comm[0] || !proc ? comm : proc->comm, 0);
	/* A record that arrives after its thread exited: there will be no second exit. */
	task->exited = !comm[0];
	return task;
}

/* --- processes ------------------------------------------------------------------------------ */

/* The process, added if it is new. Valid until the next process is added. */
static struct proc *add_or_find_proc(struct procs *p, uint32_t pid)
{
	struct proc *proc = procs_find(p, pid);

	if (proc && proc->unread && !proc->exited)
		procs_read_again(p, proc);
	if (proc)
		return procs_find(p, pid);
	add_proc(p, pid);
	if (pid == IDLE)
		procs_set_comm(procs_find(p, pid)->comm, IDLE_NAME);
	else if (pid == PROCFS_OUTSIDE)
		procs_set_comm(procs_find(p, pid)->comm, OUTSIDE_NAME);
	else if (procs_read(p, pid))
		procs_find(p, pid)->exited = true;
	return procs_find(p, pid);
}

int procs_snapshot(struct procs *p, uint32_t pid)
{
	struct proc *proc = procs_find(p, pid);

	if (!proc)
		proc = add_proc(p, pid);
	if (procs_read(p, pid))
		return err(-ESRCH, "no process %u", pid);
	procs_find(p, pid)->exited = false;
	return 0;
}

static void snapshot_one(void *context, uint32_t pid)
{
	struct procs *p = context;

	if (!procs_find(p, pid))
		add_proc(p, pid);
	procs_read(p, pid);
}

int procs_snapshot_all(struct procs *p)
{
	if (procfs_processes(snapshot_one, p))
		return err(-ENOENT, "cannot read /proc");
	return 0;
}

void procs_mmap(struct procs *p, const struct proc_mmap *r)
{
	add_or_find_proc(p, r->pid);
	procs_map(p, r);
}

void procs_comm(struct procs *p, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		uint64_t time_ns)
{
	struct proc *proc = add_or_find_proc(p, pid);
	struct task *task = procs_add_task(p, pid, tid);

	if (tid == pid)
		procs_set_comm(proc->comm, comm);
	if (exec) {
		proc->maps.at.n = proc->n_read = proc->n_looked = 0;
		proc->look_ns = 0;
		proc->unread = false;
		proc->uid = UID_UNKNOWN;
		images_jit_end(p->images, pid);
		start_task(p, pid, tid, comm, time_ns);
	} else if (strncmp(task->comm, comm, PROCFS_COMM - 1)) {
		procs_set_comm(task->comm, comm);
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

	add_or_find_proc(p, parent_pid);
	parent_task = procs_add_task(p, parent_pid, parent_tid);
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
	procs_inherit(p, child, parent);
	child->cgroup = parent->cgroup;
	child->exited = false;
	child->born_ns = time_ns;
	procs_set_comm(child->comm, comm);
	/* The parent was gone before we could read it. */
	if (!child->maps.at.n && !child->unread)
		(void)procs_read(p, pid);
}

void procs_exit(struct procs *p, uint32_t pid, uint32_t tid)
{
	struct proc *proc = procs_find(p, pid);
	struct task *task = procs_find_task(p, pid, tid);

	if (task)
		task->exited = true;
	if (!proc || tid != pid)
		return;
	proc->exited = true;
	procs_trim_exited(proc);
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
	const struct proc *proc = add_or_find_proc(p, pid);

	if (maps_place(&proc->maps, address, &place))
		place.image = images_at(p->images, place.image)->first;
	if (proc->unread || place.image == IMAGE_UNREAD)
		return (struct place){.image = IMAGE_UNREAD};
	return place;
}

#define LOOK_NS	  50000000ull
#define LOOK_MOST 10

const struct mapping *procs_copied(struct procs *p, uint32_t pid, uint64_t address)
{
	struct proc *proc = add_or_find_proc(p, pid);
	const struct mapping *at = maps_at(&proc->maps, address);
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if ((!at || !at->is_copy) && !proc->exited && !proc->unread && now_ns >= proc->look_ns) {
		const uint32_t n = proc->n_looked < LOOK_MOST ? proc->n_looked : LOOK_MOST;

		proc->look_ns = now_ns + (LOOK_NS << n);
		proc->n_looked++;
		procs_look_again(p, pid, address);
		at = maps_at(&procs_find(p, pid)->maps, address);
	}
	return at && at->is_copy ? at : NULL;
}

/* --- entries -------------------------------------------------------------------------------- */

static bool is_entry_of(const struct procs *p, uint32_t i, const struct task *t)
{
	const struct proc_thread *e = &p->entries.at[i];

	return e->pid == t->pid && e->tid == t->tid && p->entry_generation.at[i] == t->generation &&
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
	vec_push(&p->entry_generation, t->generation);
	return (uint32_t)(p->entries.n - 1);
}

uint32_t procs_thread(struct procs *p, uint32_t pid, uint32_t tid)
{
	struct task *task;
	uint32_t *i;
	bool fresh;

	add_or_find_proc(p, pid);
	task = procs_add_task(p, pid, tid);
	if (task->entry != NO_ENTRY)
		return task->entry;
	/* A thread that takes an old name again gets its old entry. */
	i = map_put(&p->by_name, procs_name_key(task->pid, task->tid, task->generation, task->comm),
		    &fresh);
	if (fresh || !is_entry_of(p, *i, task))
		*i = add_entry(p, task);
	task->entry = *i;
	return task->entry;
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
