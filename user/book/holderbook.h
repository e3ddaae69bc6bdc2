/*
 * holderbook: threads that held locks for which others waited, by the numbers that user space keeps
 * in its locks. For sources of waits.
 */
#ifndef BOOK_HOLDERBOOK_H
#define BOOK_HOLDERBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "process/procs.h"
#include "waits/memory.h"

/* Threads, at most: as many as a machine has at a time. */
#define HOLDERBOOK_MOST 32768u

struct holder {
	uint32_t pid, tid;
	bool of_kernel; /* it held a lock of the kernel */
	char name[PROCFS_COMM];
};

struct holderbook {
	VEC(struct holder) rows; /* row 0: none */
	struct map by_number;	 /* process, its birth, and the number in the lock → row */
	/* The same of numbers that were none of a thread a moment ago: what looks like a lock may
	 * be another kind's, and be waited for as often as any. Until then they are not sought
	 * again. */
	struct map strangers;
	uint64_t strangers_until_ns;
	uint64_t left_out; /* waits for whose holder there was no room */
};

void holderbook_init(struct holderbook *);
void holderbook_release(struct holderbook *);

/* A lock, and the number in it. */
struct holder_clue {
	uint32_t pid;	 /* of who waits for it */
	uint32_t number; /* of who holds it, in the PID namespace of that process */
	bool shared;	 /* processes may share it */
	uint64_t address;
};

/* The row of the thread of that process which has that number; of a shared lock also one of another
 * process that has mapped the same memory. 0: there is no such thread, so that the lock has another
 * owner, or none: it is not guessed. */
uint32_t holderbook_find(struct holderbook *, const struct procs *, struct memory *,
			 const struct holder_clue *);
/* The same of thread @tid of process @pid, which held a lock of the kernel. */
uint32_t holderbook_find_kernel(struct holderbook *, const struct procs *, uint32_t pid,
				uint32_t tid);

#endif
