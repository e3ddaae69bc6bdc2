/*
 * copied: executable memory without a file that lies where a file was mapped: a program has copied
 * its code there, to have it in huge pages (hugify, node --use-largepages, PHP). It is taken for
 * the file's code if its bytes are. Used by procs.
 */
#ifndef PROCESS_COPIED_H
#define PROCESS_COPIED_H

#include <stdbool.h>
#include <stdint.h>

#include "process/images.h"
#include "process/maps.h"

enum copied {
	COPIED_ELSEWHERE, /* not where the file's code would be */
	COPIED_OTHER,	  /* there, but its bytes differ, or could not be read */
	COPIED_SAME,
};

/* Memory of a process. */
struct copied_memory {
	uint32_t pid;
	uint64_t start, end;
	uint64_t asked; /* an address in it whose bytes are compared, besides others; 0: none */
};

/* Whether a mapping of that name may hold such a copy. */
bool copied_is_candidate(const char *path);

/* Compares the memory with the code of @image, a file of which @near is a mapping in that process.
 * Sets *@out to the part that is a copy if the answer is COPIED_SAME. Reads some 8 KiB of either,
 * at places all over it. */
enum copied copied_compare(struct images *, const struct copied_memory *, uint32_t image,
			   const struct procfs_mapping *near, struct mapping *out);

#endif
