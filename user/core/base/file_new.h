/*
 * file_new: files that appear under their name only when they are complete. What root makes belongs
 * to the caller (base/caller.h).
 */
#ifndef BASE_FILE_NEW_H
#define BASE_FILE_NEW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

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
/* As file_put(), with a text. */
int file_write(struct file_new *, const void *data, size_t n);

/* Checks early that @path could be made: its folder is writable, no file is there, or @force. */
int file_check_new(const char *path, bool force);

#endif
