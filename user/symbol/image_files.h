/*
 * image_files: what there is to read of one image: its own file, and its separate debug file or,
 * of JIT code, the perf map. The loader opens what may be it and sends the descriptors to a worker
 * process, which opens nothing: it looks which of them fits (image_files_read.h).
 */
#ifndef SYMBOL_IMAGE_FILES_H
#define SYMBOL_IMAGE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "crew/crew.h"
#include "process/images.h"

/* Before the path in the bytes of an order. */
struct image_files_head {
	uint32_t kind, is_debug;
	uint32_t path_bytes, padding; /* of the path, with its end, and up to 8 bytes */
};

/* Adds the image's kind and path to the bytes of an order, and what there is to read to its files:
 * of a debug file that is all. */
void image_files_ask(struct crew_ask *, const struct image *, bool is_debug);

#endif
