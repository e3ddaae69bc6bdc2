/*
 * memory_use: why the memory of the target's processes grew and shrank (PART_GROWTH); what they had
 * before the capture and at a time; and histograms of what they allocated (PART_HEAP).
 */
#ifndef MODEL_MEMORY_USE_H
#define MODEL_MEMORY_USE_H

#include <stdint.h>

enum memory_kind {
	MEMORY_GREW,   /* by page faults, in system calls, too: what the metric growth is of */
	MEMORY_MAPPED, /* grew by fork, exec, or another process */
	MEMORY_SHRANK,
	/* What processes had at the end, less what they had at the start. What differs from the sum
	 * of the others changed in a way that was not seen. */
	MEMORY_NET,
	MEMORY_KINDS
};

struct memory_change {
	uint8_t kind; /* enum memory_kind */
	uint32_t why; /* a string: "page faults", "munmap" */
	/* In bytes; negative: it shrank. */
	int64_t anonymous, file, shared;
	int64_t swap; /* out of memory, in swap */
};

/* What a process has from a time on, until its next row; the last, of nothing, is when it is gone.
 * Older files have what all processes had together, as that of process 0. */
struct memory_level {
	uint64_t time_ns;
	uint32_t pid;
	int64_t anonymous, file, shared, swap; /* bytes */
	/* Of its cgroups the one whose limit is the tightest: what that uses, files that are not
	 * mapped included; the limit, 0: none; and how often the kernel killed a process in it for
	 * lack of memory, since it was made. */
	int64_t group_bytes, group_limit, oom_kills;
	uint8_t killed; /* the process is gone because the kernel killed it for lack of memory */
};

/* Kinds of memory that a process had before the capture, by its mappings; and what the C library's
 * allocator says of it. Of glibc alone. */
enum memory_before_kind {
	BEFORE_HEAP,	  /* [heap]: what brk(2) added */
	BEFORE_ANONYMOUS, /* of no file: what mmap(2) added */
	BEFORE_STACK,	  /* of the main thread */
	BEFORE_FILE,	  /* pages of mapped files that are as in the file */
	BEFORE_CHANGED,	  /* pages of mapped files that the process has changed, its own */
	BEFORE_SHARED,	  /* shared memory */
	BEFORE_ARENAS,	  /* glibc: what its arenas have from the kernel, free blocks included */
	BEFORE_FREE,	  /* of that: free blocks */
	BEFORE_MMAPPED,	  /* large blocks, each in a mapping of its own */
	BEFORE_KINDS
};

struct memory_before {
	uint32_t pid;
	uint8_t kind;
	uint32_t name; /* of the process: a string */
	int64_t bytes; /* resident; of arenas, free and mmapped: as the allocator counts */
	int64_t swap;
	int64_t count; /* mappings; arenas; free blocks; blocks */
	uint8_t least; /* there was more: it changed while it was read */
};

/* What is resident: all but swap. */
static inline int64_t memory_resident(const struct memory_change *c)
{
	return c->anonymous + c->file + c->shared;
}

/* Begins notes of the ledger that say which allocations were followed from when on; and what they
 * say where none are. */
#define HEAP_NOTE      "heap: "
#define HEAP_NOTE_NONE "no allocations"

enum heap_histogram {
	HEAP_SIZES,	/* of blocks that were allocated, in bytes */
	HEAP_LIFETIMES, /* of blocks that were freed, in ns */
	HEAP_HISTOGRAMS
};

/* Blocks of 2^bin up to below twice as much; the first bin has 0, too. */
struct heap_bin {
	uint8_t histogram; /* enum heap_histogram */
	uint8_t bin;
	int64_t blocks, bytes;
};
#define HEAP_BINS 64

#endif
