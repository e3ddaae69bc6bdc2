/*
 * file: reads small files and links, writes to descriptors, and opens what others may have made.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>
#include <stdio.h>

/* The whole of @path, at most @max_bytes (more is -EFBIG), NUL-terminated, in *@text (freed by
 * the caller) and *@n. Works on /proc files, whose size is not known beforehand. */
int file_read(const char *path, size_t max_bytes, char **text, size_t *n);
/* The target of a symbolic link, and the path that a descriptor refers to; owned by the caller;
 * NULL: there is none. */
char *file_link(const char *link);
char *file_path(int fd);
/* Opens the file behind an O_PATH descriptor for reading; a descriptor or -errno, no text. The
 * second refuses (-EINVAL) what is no regular file: opening a device or a pipe may have effects, or
 * block. */
int file_reopen(int path_fd);
int file_reopen_regular(int path_fd);

/* Writes all @n bytes at the file's position; -errno without a text. */
int file_put(int fd, const void *data, size_t n);
/* The same at @at, and leaves the position. */
int file_put_at(int fd, const void *data, size_t n, uint64_t at);
/* Reads up to @n bytes from @at on; how many there were, or -errno without a text. */
ssize_t file_get_at(int fd, void *data, size_t n, uint64_t at);
/* open(2) of a foreign file, which may be hostile. file_done() closes it when it has been read: a
 * crash before that is blamed on the file. */
int file_open(const char *path, int flags);
void file_done(int fd);

/*
 * An agent makes files, and perhaps opens them, for a process that may not do so itself
 * (broker/agent.h): file_open(), file_done() and the functions of struct file_new call it. @begin
 * returns the number of the file and its descriptor, or a negative errno with a text; @end commits
 * the file, or drops it.
 */
struct file_agent {
	int (*open)(const char *path, int flags); /* as open(2); NULL: the process opens itself */
	void (*done)(void);			  /* NULL likewise */
	int (*begin)(const char *path, bool force, bool again, int *fd);
	int (*end)(int number, bool commit);
};

/* Sets the agent, borrowed, for good: one a process, as its rights are. */
void file_use_agent(const struct file_agent *);
/* NULL: none. */
const struct file_agent *file_agent(void);

/* Whether @path leads to the file of @st, by device and inode. */
struct stat;
bool file_is(const struct stat *st, const char *path);
/* The same for what file_open() opens there, and for two such: paths mean nothing to a process for
 * which an agent opens files. */
bool file_opens(const char *path, const struct stat *st);
bool file_same(const char *a, const char *b);

/* Opens /dev/null for each standard stream that is closed: else the next file to be opened would
 * become one, and output would go there. It cannot be read, or written, as before. */
void file_hold_streams(void);

/* Flushes @out, which texts call @name; fails too if an earlier write to it did. */
int file_flush(FILE *out, const char *name);

#endif
