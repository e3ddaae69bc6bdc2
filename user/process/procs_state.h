/*
 * procs_state: what procs is inside. For procs.c, procs_read.c and procs_forget.c.
 */
#ifndef PROCESS_PROCS_STATE_H
#define PROCESS_PROCS_STATE_H

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "process/maps.h"
#include "process/procfs.h"

struct allowance;
struct images;
struct proc_mmap;
struct proc_thread;

/* The idle loop: /proc does not have it. Its threads are known by their CPU. */
#define IDLE 0

#define NO_ENTRY UINT32_MAX

#define UID_UNKNOWN UINT32_MAX

/* A process, until it is forgotten: a pid that comes again takes the entry over. */
struct proc {
	uint32_t pid;
	bool exited; /* its main thread: others may go on */
	uint64_t born_ns;
	char comm[PROCFS_COMM]; /* of the main thread, the last one */
	uint32_t cgroup;	/* in strings */
	uint32_t uid;		/* whose allowance it takes, or UID_UNKNOWN */
	bool unread;		/* nothing is known of its mappings: it was not read */
	uint32_t n_read;	/* mappings, when it was read last */
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
	struct allowance *allowance; /* borrowed; NULL: all is read */
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

/* procs.c: cuts the name to its length. */
void procs_set_comm(char to[PROCFS_COMM], const char *from);
/* procs.c: the thread, made known if need be. Valid until the next one is. */
struct task *procs_need_task(struct procs *, uint32_t pid, uint32_t tid);

/* procs_read.c. Of a process that is known: reads what /proc says of it into its entry, unless its
 * user has had their allowance: then it is `unread`. -ESRCH: it is gone. */
int procs_read(struct procs *, uint32_t pid);
/* The same of one that is `unread`: while its user has nothing left it asks /proc nothing, since
 * that is tried with each record about the process. One that is gone is `exited` then. */
void procs_read_again(struct procs *, struct proc *);
/* The process of @r has mapped it. */
void procs_map(struct procs *, const struct proc_mmap *r);
/* Reads those anew that have mapped many files since they were read, and may have unmapped them. */
void procs_forget_unmapped(struct procs *);
/* The child has what its parent has. */
void procs_inherit(struct procs *, struct proc *child, const struct proc *parent);
/* It has ended: so many mappings are not kept for late records. */
void procs_disinherit(struct proc *);
void procs_drop_mappings(struct proc *);

#endif
