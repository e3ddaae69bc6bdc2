/*
 * procs: the executable mappings of each process, and the names of its threads, at each moment of
 * the capture. Fed by a snapshot of /proc at the start and by the kernel's MMAP2, COMM, FORK and
 * EXIT records in order of time; translates addresses to places. A process that has exited stays
 * known until procs_forget().
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

/* A thread under one name; becomes a struct thread of the model. */
struct proc_thread {
	uint32_t pid, tid;
	char comm[16];
	uint64_t start_ns; /* CLOCK_MONOTONIC; 0: it existed before the capture */
	uint64_t born_ns;  /* of the process; the same */
};

struct allowance;
struct proc_mmap;

/* The idle task, which /proc does not show. Its threads are numbered by their CPU. */
#define IDLE 0

#define NO_ENTRY UINT32_MAX

#define UID_UNKNOWN UINT32_MAX

/* A process, until it is forgotten; if its pid is reused, the new process takes over the entry. */
struct proc {
	uint32_t pid;
	bool exited; /* its main thread has; others may go on */
	uint64_t born_ns;
	char comm[PROCFS_COMM]; /* the main thread's latest name */
	uint32_t cgroup;	/* in strings */
	uint32_t uid;		/* whose allowance pays, or UID_UNKNOWN */
	bool unread;		/* its mappings are unknown: it was not read */
	uint32_t n_read;	/* number of mappings when it was last read */
	uint32_t n_looked;	/* how often procs_copied() has looked, and when it may again */
	uint64_t look_ns;
	struct maps maps;
};

/* A thread's present state; its entries under past names stay in `entries`. */
struct task {
	uint32_t pid, tid;
	char comm[PROCFS_COMM];
	uint64_t start_ns;
	uint32_t generation; /* incremented at each birth and exec: entries of older generations are
				not reused */
	uint32_t entry;	     /* in entries, or NO_ENTRY: none under this name yet */
	bool exited;
};

struct procs {
	struct images *images; /* borrowed */
	struct allowance
		*allowance; /* limits reading by user; borrowed, set by the owner; NULL: no limit */
	VEC(struct proc) procs;
	struct map by_pid;
	VEC(struct task) tasks; /* including ended ones */
	struct map by_task;	/* pid and tid → tasks */
	VEC(struct proc_thread) entries;
	VEC(uint32_t) entry_generation;
	struct map by_name; /* hash of pid, tid, generation, comm → entries */
	struct intern strings;
	struct map unlike; /* hash of pid and address → nothing: memory where a file's code would
			      be, and is not */
	uint64_t remaps;   /* mappings that replaced (part of) a live one of another file: stacks
			      hashed before may name the wrong module now. The caller forgets its
			      stack hashes when this grows. */
};

/* @images is borrowed and must outlive it. */
struct procs *procs_new(struct images *);
void procs_free(struct procs *);

/* NULL: it is unknown. Valid until another process is added. */
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

/* Reads /proc/PID: mappings, and each thread's comm. -ESRCH with a text if it does not exist. A
 * process that is read again keeps its history. */
int procs_snapshot(struct procs *, uint32_t pid);
/* Reads all of /proc. Processes that vanish meanwhile are skipped. */
int procs_snapshot_all(struct procs *);

/* The kernel's records. They add processes that are unknown; of one that still lives, what is
 * missing is read from /proc. */
struct proc_mmap {
	uint32_t pid, tid;
	uint64_t start, end, file_offset;
	struct image_id id; /* path "//anon", "[vdso]", "[heap]", "/usr/lib/…", "… (deleted)" */
};
void procs_mmap(struct procs *, const struct proc_mmap *);
void procs_comm(struct procs *, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		uint64_t time_ns); /* exec drops the process's mappings */
void procs_fork(struct procs *, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		uint32_t tid, uint64_t time_ns); /* a new pid gets a copy of the mappings */
void procs_exit(struct procs *, uint32_t pid, uint32_t tid);

/* The place of a user address by @pid's mappings as they are now (feed records in order of time).
 * An unknown process is first read from /proc, once. An address outside of all mappings:
 * IMAGE_NONE. */
struct place procs_place(struct procs *, uint32_t pid, uint64_t address);

/* Whether @address of @pid lies in memory without a file that holds a file's code: see copied.h.
 * The mapping is valid for now. Looks into /proc if that is not known, but less and less often. */
const struct mapping *procs_copied(struct procs *, uint32_t pid, uint64_t address);

/* Calls @each for every file whose code @pid has mapped, once for each mapping. */
void procs_each_image(const struct procs *, uint32_t pid,
		      void (*each)(void *context, uint32_t image), void *context);

/* The entry of a thread under its present name, added if it is new: a dense, stable number. */
uint32_t procs_thread(struct procs *, uint32_t pid, uint32_t tid);
/* The latest comm of the process's main thread, and the path of its v2 cgroup (read when the
 * process was first seen); "" if unknown. */
const char *procs_name(const struct procs *, uint32_t pid);
const char *procs_cgroup(const struct procs *, uint32_t pid);

/* Forgets ended processes and threads, and past names of living threads. An entry stays if it is a
 * thread's present one, or if @entries (one number for each entry) is not 0 for it; @entries then
 * holds the new numbers, NO_PROC_THREAD for dropped entries. @records_lost: the kernel's records
 * are incomplete, so look in /proc which processes live. */
#define NO_PROC_THREAD UINT32_MAX
void procs_forget(struct procs *, uint32_t *entries, bool records_lost);
/* Whether all the code that it maps is known; it may map more later. */
bool procs_knows_code(const struct procs *, uint32_t pid);
/* Sets @used[image] for all images that a known process maps. */
void procs_mark_images(const struct procs *, uint8_t *used);

/* --- between procs.c and procs_read.c --------------------------------------------------------- */

static inline uint64_t procs_name_key(uint32_t pid, uint32_t tid, uint32_t generation,
				      const char comm[PROCFS_COMM])
{
	const uint64_t name = hash_bytes(comm, PROCFS_COMM);

	return hash_two(hash_two(((uint64_t)pid << 32) | tid, generation), name);
}

/* procs.c: copies a name, cut to its length. */
void procs_set_comm(char to[PROCFS_COMM], const char *from);
/* procs.c: the thread, added if it is new. Valid until the next one is added. */
struct task *procs_add_task(struct procs *, uint32_t pid, uint32_t tid);

/* procs_read.c: reads /proc for a process that is known, unless its user has used up the allowance:
 * then it stays `unread`. -ESRCH: it is gone. */
int procs_read(struct procs *, uint32_t pid);
/* Retries a process that is `unread`. Called for each record about it, so it does not touch /proc
 * while its user has no allowance left. Sets `exited` if the process is gone. */
void procs_read_again(struct procs *, struct proc *);
/* Reads the mappings of @pid, which is known, once more: @asked is an address of interest. */
void procs_look_again(struct procs *, uint32_t pid, uint64_t asked);
/* Adds the mapping @r to its process. */
void procs_map(struct procs *, const struct proc_mmap *r);
/* Copies the parent's mappings to the child. */
void procs_inherit(struct procs *, struct proc *child, const struct proc *parent);
/* Drops the mappings of an ended process if they are too many to keep for late records. */
void procs_trim_exited(struct proc *);

#endif
