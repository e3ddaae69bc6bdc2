/*
 * image_files: what there is to read of one image: its own file, and its separate debug file or,
 * of JIT code, the perf map. Opened in the child process that will read them, before it is
 * confined: that takes the rights to open other people's files, and elffile alone reads in it.
 */
#ifndef SYMBOL_IMAGE_FILES_H
#define SYMBOL_IMAGE_FILES_H

#include "process/images.h"

struct image_files {
	const struct image *image; /* borrowed */
	int fd;			   /* the image's own, or opened again; -1: none */
	int extra_fd;  /* its separate debug file; of JIT code the perf map as it is now; or -1 */
	bool is_debug; /* the image's own file is a debug file; what is asked are addresses in it */
};

/* Opens what there is to read besides image->fd. Nothing is closed: the process ends. */
void image_files_open(struct image_files *, const struct image *);

#endif
