/*
 * smaps: how much memory a process has, by kind of mapping, from /proc/PID/smaps. For the sources
 * that compare a capture with what was there before it.
 */
#ifndef PROCESS_SMAPS_H
#define PROCESS_SMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "process/arenas.h"

enum smaps_kind {
	SMAPS_HEAP,	 /* [heap] */
	SMAPS_ANONYMOUS, /* of no file */
	SMAPS_STACK,	 /* [stack] */
	SMAPS_FILE,	 /* pages as in the file */
	SMAPS_CHANGED,	 /* pages of private mappings of files that were written to */
	SMAPS_SHARED,	 /* shared mappings of shm, memfd, tmpfs */
	SMAPS_KINDS
};

struct smaps_sum {
	uint64_t resident, swap; /* bytes */
	uint64_t mappings;
};

struct smaps {
	struct smaps_sum of[SMAPS_KINDS];
	bool cut;		 /* there was more than was read */
	uint64_t libc, libc_end; /* writable data of glibc; 0: none */
};

/* Adds the text of such a file, which is overwritten, to *@out. */
void smaps_parse(char *text, struct smaps *out);

struct opener;
/* Reads that of @pid. False: it is gone, or does not answer. */
bool smaps_read(struct opener *, uint32_t pid, struct smaps *out);
/* The same for its allocator, if that is glibc's; @s: what smaps_read() found. */
bool smaps_arenas(struct opener *, uint32_t pid, const struct smaps *s, struct arenas *out);

#endif
