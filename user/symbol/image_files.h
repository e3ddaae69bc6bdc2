/*
 * image_files: the files to read for one image: its own, and its separate debug file or, for JIT
 * code, the perf map. The loader opens all candidates and sends the descriptors to a worker
 * process, which opens nothing itself, but checks which of them fits (image_files_read.h).
 */
#ifndef SYMBOL_IMAGE_FILES_H
#define SYMBOL_IMAGE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "crew/crew.h"
#include "process/images.h"

/* Precedes the path in an order. */
struct image_files_head {
	uint32_t kind, is_debug;
	uint32_t path_bytes, padding; /* path_bytes: with the final zero and padding to 8 bytes */
};

/* Adds the image's kind and path to an order's bytes, and its files to the order's descriptors; for
 * a debug file (@is_debug) only the file itself. */
void image_files_ask(struct crew_ask *, const struct image *, bool is_debug);

#endif
