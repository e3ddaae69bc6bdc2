/*
 * image_files: the files to read for one image: its own, and its separate debug file with the one
 * that dwz made of what several share, and .dwo files, or, for JIT code, the perf map. The loader
 * opens all candidates and sends the descriptors to a worker
 * process, which opens nothing itself, but checks which of them fits (image_files_read.h).
 */
#ifndef SYMBOL_IMAGE_FILES_H
#define SYMBOL_IMAGE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "crew/crew.h"
#include "process/images.h"

/* Files of each kind: their number precedes them in an order's descriptors. */
enum image_files_kind {
	IMAGE_FILES_OWN,
	IMAGE_FILES_DEBUG, /* candidates for the debug file; of JIT code the perf map */
	IMAGE_FILES_ALT,   /* candidates for the file that the debug file shares with others */
	IMAGE_FILES_DWO,   /* candidates for .dwo files */
	IMAGE_FILES_DWP,   /* candidates for the package of all .dwo files */
	IMAGE_FILES_KINDS,
};

/* Precedes the path in an order. */
struct image_files_head {
	uint32_t kind, is_debug;
	uint32_t path_bytes, padding; /* path_bytes: with the final zero and padding to 8 bytes */
	uint32_t split;		      /* .dwo files were searched for */
	uint32_t n[IMAGE_FILES_KINDS];
};

/* A .dwo file, by what an untrusted binary says: its name and the folder of the compiler. */
struct split_file {
	const char *name, *folder; /* borrowed; .folder "": unknown */
};

/* The most of these that are searched for together. */
#define IMAGE_FILES_SPLIT 7

/* What to give. */
struct image_files_wish {
	bool is_debug; /* the image is a debug file itself */
	bool split;    /* its .dwo files, too, and the package of all (.dwp) */
	const struct split_file *files;
	size_t n; /* at most IMAGE_FILES_SPLIT */
};

/* Adds the image's kind and path to an order's bytes, and its files to the order's descriptors. */
void image_files_ask(struct crew_ask *, const struct image *, const struct image_files_wish *);

#endif
