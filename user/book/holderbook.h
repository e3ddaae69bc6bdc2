/*
 * holderbook: threads that held locks for which others waited, by the numbers that user space keeps
 * in its locks. For sources of waits.
 */
#ifndef BOOK_HOLDERBOOK_H
#define BOOK_HOLDERBOOK_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "process/procs.h"

/* Threads, at most: as many as a machine has at a time. */
#define HOLDERBOOK_MOST 32768u

struct holder {
	uint32_t pid, tid;
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

/* The row of the thread of process @pid that is @number in its own PID namespace; 0: there is no
 * such thread, so that the lock has another owner, or none: it is not guessed. */
uint32_t holderbook_find(struct holderbook *, const struct procs *, uint32_t pid, uint32_t number);

#endif
