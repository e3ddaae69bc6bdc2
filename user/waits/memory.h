/*
 * memory: what lies at addresses of processes, by their mappings, which are read again when they
 * are old. For what names locks, and who shares them.
 */
#ifndef WAITS_MEMORY_H
#define WAITS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct opener;

/* Adjacent mappings of one file, with the anonymous memory after them that holds a module's zeroed
 * data; or one mapping of another kind. */
struct memory_area {
	uint64_t start, end;
	uint64_t code;		/* where the file's first code is mapped; 0: not a module */
	uint64_t file_offset;	/* of start; only for files */
	uint64_t device, inode; /* of the file, or of shared memory; inode 0: neither */
	char *path;		/* "/usr/lib/x.so", "[heap]", "" if anonymous; owned */
};

struct memory_process {
	uint32_t pid; /* 0: none */
	uint64_t read_ns;
	VEC(struct memory_area) areas; /* ascending */
};

#define MEMORY_PROCESSES 32

/* A zeroed one is empty and valid. */
struct memory {
	struct opener *opener; /* reads the mappings; borrowed; NULL: this process does */
	struct memory_process processes[MEMORY_PROCESSES];
	uint32_t next;		    /* the entry to reuse next */
	uint64_t first_ns, read_ns; /* time of the first request; time spent reading */
	uint64_t refused;	    /* requests for which there was no time */
};

/* The area that holds @address; NULL: none, or the process is gone. Valid until the next call.
 * @now_ns: CLOCK_MONOTONIC. */
const struct memory_area *memory_find(struct memory *, uint32_t pid, uint64_t address,
				      uint64_t now_ns);
/* Whether process @other has mapped the same file or shared memory as @pid has at @address. */
bool memory_shares(struct memory *, uint32_t pid, uint64_t address, uint32_t other,
		   uint64_t now_ns);
/* Call when its mappings have changed. */
void memory_forget(struct memory *, uint32_t pid);
void memory_release(struct memory *);

#endif
