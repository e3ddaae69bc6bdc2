#include "book/holderbook.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "process/procfs.h"

/* Threads of a process in another PID namespace that are looked through. */
#define MOST_THREADS 4096

void holderbook_init(struct holderbook *b)
{
	*b = (struct holderbook){0};
	vec_add(&b->rows);
}

void holderbook_release(struct holderbook *b)
{
	vec_release(&b->rows);
	map_release(&b->by_number);
}

/* --- threads of other namespaces -------------------------------------------------------------- */

struct search {
	uint32_t number, found, threads;
};

static void look_at(void *context, uint32_t tid)
{
	struct search *s = context;

	if (!s->found && s->threads++ < MOST_THREADS && procfs_namespace_pid(tid) == s->number)
		s->found = tid;
}

static bool has_thread(uint32_t pid, uint32_t tid)
{
	_free_ char *path = mem_printf("/proc/%u/task/%u", pid, tid);

	return !access(path, F_OK);
}

/* Our number of the thread that is @number in its namespace; 0: it is none of that process. */
static uint32_t thread_of(const struct procs *procs, uint32_t pid, uint32_t number)
{
	struct search s = {.number = number};

	if (procfs_namespace_pid(pid) == pid)
		return procs_find_task(procs, pid, number) || has_thread(pid, number) ? number : 0;
	(void)procfs_threads(pid, look_at, &s);
	return s.found;
}

/* --- the book --------------------------------------------------------------------------------- */

static void name(const struct procs *procs, struct holder *h)
{
	const struct task *t = procs_find_task(procs, h->pid, h->tid);

	if (t)
		memcpy(h->name, t->comm, sizeof(h->name));
	else
		procfs_comm(h->pid, h->tid, h->name);
}

uint32_t holderbook_find(struct holderbook *b, const struct procs *procs, uint32_t pid,
			 uint32_t number)
{
	const uint64_t key = (uint64_t)pid << 32 | number;
	const uint32_t *known = map_get(&b->by_number, key);
	struct holder h = {.pid = pid};

	if (known)
		return *known;
	h.tid = thread_of(procs, pid, number);
	if (!h.tid)
		return 0;
	if (b->rows.n >= HOLDERBOOK_MOST) {
		b->left_out++;
		return 0;
	}
	name(procs, &h);
	vec_push(&b->rows, h);
	return map_number(&b->by_number, key, b->rows.n - 1);
}
