/*
 * memory_use: why the memory of the target's processes grew and shrank, and what they had at a time
 * (PART_GROWTH); and histograms of what they allocated (PART_HEAP).
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

/* What the target's processes had together at a time. */
struct memory_level {
	uint64_t time_ns;
	int64_t anonymous, file, shared, swap; /* bytes */
	/* Of the cgroups of its processes the one whose limit is the tightest: what it uses, files
	 * that are not mapped included; the limit, 0: none; and how often the kernel killed a
	 * process in it for lack of memory, since it was made. */
	int64_t group_bytes, group_limit, oom_kills;
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
