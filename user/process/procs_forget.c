/* procs_forget(), and what tells of what is left: see procs.h. */
#include "process/procs.h"
#include "process/procs_state.h"

#include "base/mem.h"

size_t procs_count(const struct procs *p)
{
	return p->tasks.n;
}

bool procs_knows(const struct procs *p, uint32_t pid)
{
	return procs_find(p, pid) != NULL;
}

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

/* What has ended though no record says so. */
static void ask_who_lives(struct procs *p)
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

/* A process whose main thread has ended lives as long as another thread does. Of one that somebody
 * refers to, the name stays. */
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
		const uint32_t life = p->entry_life.at[i];

		if (!entries[i]) {
			entries[i] = NO_PROC_THREAD;
			continue;
		}
		*map_put(&by_name, procs_name_key(e->pid, e->tid, life, e->comm), &fresh) = n;
		p->entries.at[n] = *e;
		p->entry_life.at[n] = life;
		entries[i] = n++;
	}
	p->entries.n = p->entry_life.n = n;
	map_release(&p->by_name);
	p->by_name = by_name;
}

void procs_forget(struct procs *p, uint32_t *entries, bool doubt)
{
	if (doubt)
		ask_who_lives(p);
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
