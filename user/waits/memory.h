/*
 * memory: in what of a process's memory an address of data lies: a module, the heap, a stack, a
 * file that is mapped. Reads /proc/PID/maps as seldom as it can: of the few processes asked for
 * last, what they had mapped is kept for a short time; and all reading takes a twentieth of the
 * time at most.
 */
#ifndef WAITS_MEMORY_H
#define WAITS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct opener;

/* Adjacent mappings of one file, and the anonymous memory behind them that holds a module's zeroed
 * data; or one mapping of another kind. */
struct memory_area {
	uint64_t start, end;
	uint64_t code;	      /* where its file's first code is mapped; 0: it is no module */
	uint64_t file_offset; /* of start; only where it is a file */
	char *path;	      /* "/usr/lib/x.so", "[heap]", "" anonymous; owned */
};

struct memory_process {
	uint32_t pid; /* 0: none */
	uint64_t read_ns;
	VEC(struct memory_area) areas; /* ascending */
};

#define MEMORY_PROCESSES 32

/* A zeroed one is empty and valid. */
struct memory {
	struct opener *opener; /* reads them; borrowed; NULL: this process does */
	struct memory_process processes[MEMORY_PROCESSES];
	uint32_t next;		    /* whose place is given away next */
	uint64_t first_ns, read_ns; /* when it was first asked; how long it has read */
	uint64_t refused;	    /* times that there was no time to read */
};

/* The area that holds @address; NULL: none does, or the process is gone. Valid until the next call.
 * @now_ns: CLOCK_MONOTONIC. */
const struct memory_area *memory_find(struct memory *, uint32_t pid, uint64_t address,
				      uint64_t now_ns);
/* Its mappings have changed. */
void memory_forget(struct memory *, uint32_t pid);
void memory_release(struct memory *);

#endif
