/*
 * procs: the executable mappings of each process, and the names of its threads, at each moment
 * of the capture. Fed by a snapshot of /proc at the start and by the kernel's MMAP2, COMM, FORK
 * and EXIT records in order of time; asked for the place of an address. A process that has
 * exited stays known until procs_forget().
 */
#ifndef PROCESS_PROCS_H
#define PROCESS_PROCS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "process/images.h"
#include "process/maps.h"
#include "process/procfs.h"

/* A thread under one name. What struct thread of the model is made of. */
struct proc_thread {
	uint32_t pid, tid;
	char comm[16];
	uint64_t start_ns; /* CLOCK_MONOTONIC; 0: there before the capture */
	uint64_t born_ns;  /* the process; the same */
};

struct allowance;
struct proc_mmap;

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
	struct images *images;	     /* borrowed */
	struct allowance *allowance; /* how much is read for each user: borrowed, for others to
				      * set; NULL: all of it */
	VEC(struct proc) procs;
	struct map by_pid;
	VEC(struct task) tasks; /* ended ones included */
	struct map by_task;	/* pid and tid → tasks */
	VEC(struct proc_thread) entries;
	VEC(uint32_t) entry_life;
	struct map by_name; /* hash of pid, tid, life, comm → entries */
	struct intern strings;
	uint64_t remaps; /* mappings that overlapped a live one of another file: stacks hashed
			  * before may name the wrong module since. The caller forgets its stack
			  * hashes when this grows. */
};

/* @images is borrowed and must outlive it. */
struct procs *procs_new(struct images *);
void procs_free(struct procs *);

/* NULL: nothing is known of it. Valid until another process is made known. */
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

/* Reads /proc/PID: mappings, comm of each thread. -ESRCH with a text when it does not exist. A
 * process that is snapshot again keeps its history. */
int procs_snapshot(struct procs *, uint32_t pid);
/* All of /proc. Processes that vanish meanwhile are passed over. */
int procs_snapshot_all(struct procs *);

/* The kernel's records. Unknown processes are made known; of one seen here first that still
 * lives, what is missing is read from /proc. */
struct proc_mmap {
	uint32_t pid, tid;
	uint64_t start, end, file_offset;
	struct image_id id; /* path "//anon", "[vdso]", "[heap]", "/usr/lib/…", "… (deleted)" */
};
void procs_mmap(struct procs *, const struct proc_mmap *);
void procs_comm(struct procs *, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		uint64_t time_ns); /* exec drops the process's mappings */
void procs_fork(struct procs *, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		uint32_t tid, uint64_t time_ns); /* pid differs: the mappings are copied */
void procs_exit(struct procs *, uint32_t pid, uint32_t tid);

/* Places of user addresses in @pid as its mappings are now (records are fed in order of time). A
 * process not known yet is read from /proc first, once. An address in no mapping: IMAGE_NONE. */
struct place procs_place(struct procs *, uint32_t pid, uint64_t address);

/* Calls @each for every file whose code @pid has mapped, once a mapping. */
void procs_each_image(const struct procs *, uint32_t pid,
		      void (*each)(void *context, uint32_t image), void *context);

/* The entry for a thread under its present name, made if need be: a dense number, stable. */
uint32_t procs_thread(struct procs *, uint32_t pid, uint32_t tid);
/* The last comm of the process's main thread, "" unknown; and its v2 cgroup path, "" unknown
 * (read when it was first seen). */
const char *procs_name(const struct procs *, uint32_t pid);
const char *procs_cgroup(const struct procs *, uint32_t pid);

/* Forgets the processes and threads that have ended, and what living threads were called before.
 * Of the entries those stay that are some thread's present one, or whose @entries is not 0 (one for
 * each that there is): they get new numbers, which stand there afterwards, NO_PROC_THREAD for those
 * that are gone. @doubt: the kernel's records are not whole, so /proc is asked who lives. */
#define NO_PROC_THREAD UINT32_MAX
void procs_forget(struct procs *, uint32_t *entries, bool records_lost);
/* Whether all code is known that it maps; more may be. */
bool procs_knows_code(const struct procs *, uint32_t pid);
/* Sets @used[image] for all images that are mapped by a process that is known. */
void procs_mark_images(const struct procs *, uint8_t *used);

/* --- between procs.c and procs_read.c --------------------------------------------------------- */

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
/* The child has what its parent has. */
void procs_inherit(struct procs *, struct proc *child, const struct proc *parent);
/* It has ended: so many mappings are not kept for late records. */
void procs_disinherit(struct proc *);

#endif
