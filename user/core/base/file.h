/*
 * file: files that we make, and small ones that we read. What eprof makes under sudo belongs to
 * the user who called it (SUDO_UID, SUDO_GID).
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The whole of @path, at most @max_bytes (more is -EFBIG), NUL-terminated, in *@text (freed by
 * the caller) and *@n. Works on /proc files, whose size is not known beforehand. */
int file_read(const char *path, size_t max_bytes, char **text, size_t *n);

/*
 * A file that appears under its name only when it is whole: it is written under a temporary
 * name in the same folder, and file_commit() syncs and renames it. Dropping it instead removes
 * the temporary file and leaves whatever stood at @path untouched.
 *
 * An existing @path is -EEXIST unless @force (which replaces regular files only: never a device,
 * a folder or a symbolic link); a folder that cannot be written says so at
 * file_begin(), before any work was done for it.
 */
struct file_new {
	char *path; /* final name */
	char *temp; /* name while it is written */
	int fd;	    /* open for reading and writing, -1 when closed */
	bool force;
};

int file_begin(struct file_new *, const char *path, bool force);
/* Fails with -EEXIST if somebody else made @path meanwhile and force is not set. Whether it
 * fails or not, nothing but @path is left of it. */
int file_commit(struct file_new *);
/* Harmless on a zeroed, a committed or a dropped one. */
void file_drop(struct file_new *);
/* All of @n bytes at the file's position; -errno without a text. */
int file_put(int fd, const void *data, size_t n);
/* The same, with a text. */
int file_write(struct file_new *, const void *data, size_t n);

/* Flushes @out, called @name; fails too where an earlier write to it did. */
int file_flush(FILE *out, const char *name);

/* Checks early that @path could be made: folder there and writable, file absent or @force. */
int file_check_new(const char *path, bool force);

#endif
