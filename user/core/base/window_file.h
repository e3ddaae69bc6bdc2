/*
 * window_file: the file in which the windows of a capture stand, one behind the other
 * (capture/sink_file.h). Opened anew by whoever works at it: its file system may stop to
 * answer, and who has a descriptor then is stuck when it ends.
 */
#ifndef BASE_WINDOW_FILE_H
#define BASE_WINDOW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Which file it is, whatever has its name by now. A zeroed one was not made yet; in memory that
 * those who work at it share. */
struct window_file {
	bool is_made;
	dev_t dev;
	ino_t ino;
};

/* Writes what comes at @at, the end of what is whole; what is there behind it goes away, also where
 * this fails. At 0 the file is made, or made anew. -errno with a text. */
int window_file_put(struct window_file *, const char *path, const void *bytes, size_t n,
		    uint64_t at);
/* -errno with a text; -EIO where it is another file, or shorter. */
int window_file_get(const struct window_file *, const char *path, void *bytes, size_t n,
		    uint64_t at);

#endif
