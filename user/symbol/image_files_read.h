/*
 * image_files_read: the files of an image as a worker process receives them: see image_files.h.
 */
#ifndef SYMBOL_IMAGE_FILES_READ_H
#define SYMBOL_IMAGE_FILES_READ_H

#include "symbol/image_files.h"

struct image_files {
	const struct image *image; /* borrowed */
	int fd;			   /* the image's own, as kept open or opened again; -1: none */
	int extra_fd; /* its separate debug file; for JIT code the perf map as it is now; or -1 */
	int alt_fd;   /* the file that the debug file shares with others, or -1 */
	const int *split; /* candidates for .dwo files, and for packages of them; borrowed */
	size_t n_split;
	bool has_package; /* there are some of the latter */
	bool is_debug;	  /* the image's own file is a debug file; queries are addresses in it */
};

/* Reads the image and its files from the head of an order. Returns the rest of the order's bytes,
 * or NULL if it is malformed. All are valid as long as the request is. */
const char *image_files_take(const struct crew_request *, struct image *, struct image_files *);

#endif
