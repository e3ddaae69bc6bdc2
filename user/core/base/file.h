/*
 * file: makes files, and reads small ones. What root makes belongs to the caller (base/caller.h).
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

/*
 * Sets the mode of files made from now on, as --mode gives it: octal, with 0600 in it. -EINVAL with
 * a text. Without it a file is for its owner alone (0600) if the process has, or had, more rights
 * than its caller; else the umask decides. A file that replaces another gives nobody more rights
 * than that did.
 */
int file_use_mode(const char *octal);
/* That mode, for another program's file_use_mode(); 0: none was set. */
mode_t file_given_mode(void);
/* mkdir(2) by the same rule; -errno without a text. */
int file_make_folder(const char *path);

/*
 * A file that appears under its name only when it is complete: it is written under a temporary name
 * in the same folder, and file_commit() syncs and renames it. file_drop() instead removes the
 * temporary file and leaves what was at @path untouched.
 *
 * An existing @path is -EEXIST unless @force (which replaces regular files only: never a device, a
 * folder or a symbolic link). If the folder cannot be written, file_begin() fails, before any work
 * was done for the file.
 */
struct file_new {
	char *path; /* final name */
	char *temp; /* name while it is written; NULL if an agent makes the file */
	char *at;   /* path as used for system calls; temp is like it */
	int folder; /* for root: a descriptor of the folder, which at and temp lead through,
		     * whatever others rename on the way there; else -1 */
	int fd;	    /* open for reading and writing, -1 when closed */
	int number; /* the agent's */
	bool force;
	bool keeps_owner; /* the file gets owner and mode of the one at @path */
};

int file_begin(struct file_new *, const char *path, bool force);
/* Replaces a file; the new one gets its owner and mode if that is allowed, but no setuid, setgid or
 * sticky bit. */
int file_begin_again(struct file_new *, const char *path);
/* Continues a file that a process began which has ended: @temp is its temporary name in the folder
 * of @path. Others may have put another file there: check its inode. -errno. */
int file_take_over(struct file_new *, const char *path, const char *temp, bool force,
		   bool keeps_owner);
/* -EEXIST if somebody else made @path meanwhile and force is not set. Nothing but @path is left of
 * it, even if it fails. */
int file_commit(struct file_new *);
/* For a file that a child has committed: releases all but the descriptor. */
void file_forget(struct file_new *);
/* Harmless on a zeroed, committed or dropped one. */
void file_drop(struct file_new *);
/* Writes all @n bytes at the file's position; -errno without a text. */
int file_put(int fd, const void *data, size_t n);
/* The same at @at, and leaves the position. */
int file_put_at(int fd, const void *data, size_t n, uint64_t at);
/* Reads up to @n bytes from @at on; how many there were, or -errno without a text. */
ssize_t file_get_at(int fd, void *data, size_t n, uint64_t at);
/* As file_put(), with a text. */
int file_write(struct file_new *, const void *data, size_t n);

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

/* Sets the agent, borrowed, for good. */
void file_use_agent(const struct file_agent *);

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

/* Checks early that @path could be made: its folder is writable, no file is there, or @force. */
int file_check_new(const char *path, bool force);

#endif
