/*
 * file: files that we make, and small ones that we read. What root makes belongs to the user who
 * called it (base/caller.h).
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

/*
 * Modes of what is made from now on, as --mode gives them: octal, with 0600 in it. -EINVAL with a
 * text. Without it a file is for its owner alone (0600) where the process has, or had, more rights
 * than its caller; else the umask decides. What replaces a file gives nobody more than that gave.
 */
int file_use_mode(const char *octal);
/* What was given, for another program's file_use_mode(); 0: nothing. */
mode_t file_given_mode(void);
/* mkdir(2) by the same rule; -errno without a text. */
int file_make_folder(const char *path);

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
	char *temp; /* name while it is written; NULL where an agent makes the file */
	char *at;   /* what the system calls path; temp is like that */
	/* Of root: the folder, as it was found, and what at and temp lead through, whoever renames
	 * what on the way there. -1: none. */
	int folder;
	int fd;	    /* open for reading and writing, -1 when closed */
	int number; /* the agent's */
	bool force;
	bool keeps_owner; /* and the mode, of what stood at @path */
};

int file_begin(struct file_new *, const char *path, bool force);
/* The same in place of a file that is there, whose owner and mode it gets where that is allowed,
 * but no setuid, setgid or sticky bit. */
int file_begin_again(struct file_new *, const char *path);
/* Goes on with what another process began, which has ended: @temp is the temporary file's name in
 * the folder of @path. Others may have put another file there: look at its inode. -errno. */
int file_take_over(struct file_new *, const char *path, const char *temp, bool force,
		   bool keeps_owner);
/* Fails with -EEXIST if somebody else made @path meanwhile and force is not set. Whether it
 * fails or not, nothing but @path is left of it. */
int file_commit(struct file_new *);
/* What a child has committed, left open: releases all but the descriptor of the file. */
void file_forget(struct file_new *);
/* Harmless on a zeroed, a committed or a dropped one. */
void file_drop(struct file_new *);
/* Removes one that was made; -errno. */
int file_remove(const char *path);
/* All of @n bytes at the file's position; -errno without a text. */
int file_put(int fd, const void *data, size_t n);
/* The same at @at, whatever the position is. */
int file_put_at(int fd, const void *data, size_t n, uint64_t at);
/* Up to @n bytes from @at on, as many as the file has; how many, or -errno without a text. */
ssize_t file_get_at(int fd, void *data, size_t n, uint64_t at);
/* All of @n bytes at the file's position, with a text. */
int file_write(struct file_new *, const void *data, size_t n);

/* Opens what is there, as open(2) does: foreign files, which may be hostile. file_done() closes it
 * when no more is read of it: in between a crash is blamed on the file. */
int file_open(const char *path, int flags);
void file_done(int fd);

/*
 * An agent makes files, and perhaps opens them, for a process that may not do so itself
 * (broker/agent.h): file_open(), file_done(), file_remove() and those of struct file_new call it
 * instead. @begin returns the number of the file and its descriptor, or a negative errno with a
 * text; @end makes it appear, or removes it.
 */
struct file_agent {
	int (*open)(const char *path, int flags); /* as open(2); NULL: the process does */
	void (*done)(void);			  /* NULL likewise */
	int (*begin)(const char *path, bool force, bool again, int *fd);
	int (*end)(int number, bool commit);
	int (*remove)(const char *path);
};

/* From now on, for good: the process is confined once. Borrowed. */
void file_use_agent(const struct file_agent *);

/* Whether @path leads to the file of @st, by device and inode: under whatever name. */
struct stat;
bool file_is(const struct stat *st, const char *path);
/* The same of what file_open() opens there, and of two such: where an agent opens files, paths mean
 * nothing to this process. */
bool file_opens(const char *path, const struct stat *st);
bool file_same(const char *a, const char *b);

/* Opens /dev/null for each standard stream that is closed, so that it cannot be read, or written,
 * as before: else the next file that is opened would become one, and take what is told there. */
void file_hold_streams(void);

/* Flushes @out, called @name; fails too where an earlier write to it did. */
int file_flush(FILE *out, const char *name);

/* Checks early that @path could be made: folder there and writable, file absent or @force. */
int file_check_new(const char *path, bool force);

#endif
