/*
 * procs_state: what procs is inside. For procs.c and procs_forget.c.
 */
#ifndef PROCESS_PROCS_STATE_H
#define PROCESS_PROCS_STATE_H

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "process/maps.h"
#include "process/procfs.h"

struct images;
struct proc_thread;

/* The idle loop: /proc does not have it. Its threads are known by their CPU. */
#define IDLE 0

#define NO_ENTRY UINT32_MAX

/* A process, until it is forgotten: a pid that comes again takes the entry over. */
struct proc {
	uint32_t pid;
	bool exited; /* its main thread: others may go on */
	uint64_t born_ns;
	char comm[PROCFS_COMM]; /* of the main thread, the last one */
	uint32_t cgroup;	/* in strings */
	struct maps maps;
};

/* A thread's present state; its entries under past names stay in `entries`. */
struct task {
	uint32_t pid, tid;
	char comm[PROCFS_COMM];
	uint64_t start_ns;
	uint32_t life;	/* grows at each birth and exec: old entries are not taken up again */
	uint32_t entry; /* in entries, or NO_ENTRY: none under this name yet */
	bool exited;
};

struct procs {
	struct images *images;
	VEC(struct proc) procs;
	struct map by_pid;
	VEC(struct task) tasks;
	struct map by_task; /* pid and tid → tasks */
	VEC(struct proc_thread) entries;
	VEC(uint32_t) entry_life;
	struct map by_name; /* hash of pid, tid, life, comm → entries */
	struct intern strings;
	uint64_t remaps;
};

static inline struct proc *procs_find(const struct procs *p, uint32_t pid)
{
	const uint32_t *i = map_get(&p->by_pid, pid);

	return i ? &p->procs.at[*i] : NULL;
}

static inline struct task *procs_find_task(const struct procs *p, uint32_t pid, uint32_t tid)
{
	const uint32_t *i = map_get(&p->by_task, ((uint64_t)pid << 32) | tid);

	return i ? &p->tasks.at[*i] : NULL;
}

static inline uint64_t procs_name_key(uint32_t pid, uint32_t tid, uint32_t life,
				      const char comm[PROCFS_COMM])
{
	const uint64_t name = hash_bytes(comm, PROCFS_COMM);

	return hash_two(hash_two(((uint64_t)pid << 32) | tid, life), name);
}

#endif
