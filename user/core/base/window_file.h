/*
 * window_file: the file that holds the windows of a capture, one after the other
 * (capture/sink_file.h). Each process that works on it opens it again: its file system may stop
 * answering, and a process that holds a descriptor then hangs when it ends.
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

/* Writes the bytes at @at, the end of the complete windows, and truncates the file there first,
 * even if the write fails. At 0 it creates the file, or replaces it. -errno with a text. */
int window_file_put(struct window_file *, const char *path, const void *bytes, size_t n,
		    uint64_t at);
/* -errno with a text; -EIO where it is another file, or shorter. */
int window_file_get(const struct window_file *, const char *path, void *bytes, size_t n,
		    uint64_t at);

#endif
