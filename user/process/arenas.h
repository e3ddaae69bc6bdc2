/*
 * arenas: what glibc's malloc of another process had from the kernel, and how much of that is free,
 * read from the process's memory while it runs on. No symbols are needed: an empty bin points at
 * itself, which nothing else of that size does, and all that is read must agree (malloc/malloc.c of
 * glibc 2.26 to 2.42: struct malloc_state, from `top` on; struct malloc_par up to `sbrk_base`). If
 * it does not, there is no answer. For the opener, whose helper does the reading.
 */
#ifndef PROCESS_ARENAS_H
#define PROCESS_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arenas {
	uint64_t n;	       /* arenas */
	uint64_t system_bytes; /* that they have from the kernel */
	/* Of these: what is free at the top of arenas, and in their bins, in so many blocks. Blocks
	 * that threads keep for themselves (tcache, fastbins) are not among them. */
	uint64_t free_bytes, free_blocks;
	uint64_t busy; /* arenas that changed while they were read, or have too many blocks: there
			  is more free than free_bytes */
	bool knows_mmapped;
	uint64_t mmapped_bytes, mmapped_blocks; /* large blocks, each in a mapping of its own */
};

/* Whether a file of that name may be glibc's. */
bool arenas_may_have(const char *path);

/* @mem: a descriptor of /proc/PID/mem; glibc's writable data are at [@start, @end). False: there is
 * none, it was never used, or it cannot be read. Takes 100 ms at most, and some 100,000 reads. */
bool arenas_read(int mem, uint64_t start, uint64_t end, struct arenas *out);

#endif
