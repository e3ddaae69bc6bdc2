#include "book/holderbook.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "process/procfs.h"

/* Threads of a process in another PID namespace that are looked through. */
#define MOST_THREADS 4096
/* How long a number that is no thread's is taken for that. */
#define STRANGERS_NS 1000000000ull

void holderbook_init(struct holderbook *b)
{
	*b = (struct holderbook){0};
	vec_add(&b->rows);
}

void holderbook_release(struct holderbook *b)
{
	vec_release(&b->rows);
	map_release(&b->by_number);
	map_release(&b->strangers);
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

static bool is_stranger(struct holderbook *b, uint64_t key)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (now_ns >= b->strangers_until_ns) {
		map_release(&b->strangers);
		b->strangers = (struct map){0};
		b->strangers_until_ns = now_ns + STRANGERS_NS;
	}
	return map_get(&b->strangers, key);
}

static uint32_t add(struct holderbook *b, const struct procs *procs, struct holder *h, uint64_t key)
{
	if (b->rows.n >= HOLDERBOOK_MOST) {
		b->left_out++;
		return 0;
	}
	name(procs, h);
	vec_push(&b->rows, *h);
	return map_number(&b->by_number, key, b->rows.n - 1);
}

/* Of a process that shares the lock: in our own PID namespace, as who waits is. */
static bool find_sharer(struct memory *memory, const struct holder_clue *clue, struct holder *h)
{
	if (!clue->shared || procfs_namespace_pid(clue->pid) != clue->pid ||
	    procfs_namespace_pid(clue->number) != clue->number)
		return false;
	h->pid = procfs_process_of(clue->number);
	h->tid = clue->number;
	return h->pid &&
	       memory_shares(memory, clue->pid, clue->address, h->pid, clock_ns(CLOCK_MONOTONIC));
}

static bool find(const struct procs *procs, struct memory *memory, const struct holder_clue *clue,
		 struct holder *h)
{
	h->pid = clue->pid;
	h->tid = thread_of(procs, clue->pid, clue->number);
	return h->tid || find_sharer(memory, clue, h);
}

uint32_t holderbook_find(struct holderbook *b, const struct procs *procs, struct memory *memory,
			 const struct holder_clue *clue)
{
	const struct proc *proc = procs_find(procs, clue->pid);
	const uint64_t key =
		hash_two((uint64_t)clue->pid << 32 | clue->number, proc ? proc->born_ns : 0);
	const uint32_t *known = map_get(&b->by_number, key);
	struct holder h = {0};

	if (known)
		return *known;
	if (is_stranger(b, key) || !find(procs, memory, clue, &h)) {
		(void)map_number(&b->strangers, key, 0);
		return 0;
	}
	return add(b, procs, &h, key);
}

/* A task of the kernel's, or one that has ended since: the kernel itself named it. */
uint32_t holderbook_find_kernel(struct holderbook *b, const struct procs *procs, uint32_t pid,
				uint32_t tid)
{
	const uint64_t key = hash_two((uint64_t)pid << 32 | tid, UINT64_MAX);
	const uint32_t *known = map_get(&b->by_number, key);
	struct holder h = {.pid = pid, .tid = tid, .of_kernel = true};

	return known ? *known : add(b, procs, &h, key);
}
