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

#include "process/images.h"
#include "process/maps.h"

/* A thread under one name. What struct thread of the model is made of. */
struct proc_thread {
	uint32_t pid, tid;
	char comm[16];
	uint64_t start_ns; /* CLOCK_MONOTONIC; 0: there before the capture */
	uint64_t born_ns;  /* the process; the same */
};

struct procs;
/* @images is borrowed and must outlive it. */
struct procs *procs_new(struct images *);
void procs_free(struct procs *);
/* How much is read for each user: borrowed; NULL, as at first: all of it. */
struct allowance;
void procs_set_allowance(struct procs *, struct allowance *);

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
void procs_mmap(struct procs *, const struct proc_mmap *, uint64_t time_ns);
void procs_comm(struct procs *, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		uint64_t time_ns); /* exec drops the process's mappings */
void procs_fork(struct procs *, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		uint32_t tid, uint64_t time_ns); /* pid differs: the mappings are copied */
void procs_exit(struct procs *, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* Places of user addresses in @pid as its mappings are now (records are fed in order of time). A
 * process not known yet is read from /proc first, once. An address in no mapping: IMAGE_NONE. */
struct place procs_place(struct procs *, uint32_t pid, uint64_t address);
/* Whether that is code made at run time. */
bool procs_is_jit(const struct procs *, struct place);

/* Calls @each for every file whose code @pid has mapped, once a mapping. */
void procs_each_image(const struct procs *, uint32_t pid,
		      void (*each)(void *context, uint32_t image), void *context);

/* The entry for a thread under its present name, made if need be: a dense number, stable. */
uint32_t procs_thread(struct procs *, uint32_t pid, uint32_t tid, uint64_t time_ns);
uint32_t procs_thread_count(const struct procs *);
const struct proc_thread *procs_thread_at(const struct procs *, uint32_t thread);
/* The last comm of the process's main thread, "" unknown; and its v2 cgroup path, "" unknown
 * (read when it was first seen). */
const char *procs_name(const struct procs *, uint32_t pid);
const char *procs_cgroup(const struct procs *, uint32_t pid);

/* Forgets the processes and threads that have ended, and what living threads were called before.
 * Of the entries those stay that are some thread's present one, or whose @entries is not 0 (one for
 * each that there is): they get new numbers, which stand there afterwards, NO_PROC_THREAD for those
 * that are gone. @doubt: the kernel's records are not whole, so /proc is asked who lives. */
#define NO_PROC_THREAD UINT32_MAX
void procs_forget(struct procs *, uint32_t *entries, bool doubt);
/* Threads that are known, ended ones included. */
size_t procs_count(const struct procs *);
/* Whether anything is known of that process. */
bool procs_knows(const struct procs *, uint32_t pid);
/* Whether all code is known that it maps; more may be. */
bool procs_knows_code(const struct procs *, uint32_t pid);
/* Sets @used[image] for all images that are mapped by a process that is known. */
void procs_mark_images(const struct procs *, uint8_t *used);

/* How often a mapping that overlaps a live one of another file was seen: stacks hashed before
 * it may name the wrong module after it. The caller forgets its stack hashes when this grows. */
uint64_t procs_remaps(const struct procs *);

#endif
