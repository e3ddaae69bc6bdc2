/*
 * render_run: runs eprof-render for what reads HDF5 that this program has not written: stores,
 * baselines, the file of `eprof name`. There a library parses what a stranger may have made, in a
 * process that can do nothing else (render/sandbox). What comes back is that process's word, and to
 * be trusted no more than the file.
 */
#ifndef CMD_RENDER_RUN_H
#define CMD_RENDER_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

#define RENDER_RUN_BYTES (64u << 20) /* that it may say */

/* A file of bytes that are handed to it, known there by a path. */
struct render_file {
	int fd;
	char path[32];
};

/* 0, or a negative errno with a text. To be closed. */
int render_file_make(struct render_file *, const void *bytes, size_t n);
/* @n bytes that it is to fill. Likewise. */
int render_file_room(struct render_file *, size_t n);
void render_file_close(struct render_file *);

/* For @signal_fd: none. */
#define RENDER_RUN_ON (-1)

/*
 * Runs eprof-render, which stands beside this program, as "for-eprof", @words…; NULL ends them.
 * What it prints is added to @out. 0 where it exits with 0; else a negative errno with a text: the
 * line that it has to say.
 *
 * @signal_fd: a signalfd(2), which does not block, or RENDER_RUN_ON. A signal that comes meanwhile
 * leaves it RENDER_RUN_GRACE_S to finish: -EINTR where it does not.
 */
#define RENDER_RUN_GRACE_S 2
int render_run(const char *const *words, const struct render_file *file, int signal_fd,
	       struct str *out);

/* The same by the broker, which knows the words by number (record_program.h). Where that is killed
 * meanwhile the program is run again, unless it has printed its answer. @path: the file that it
 * works at; -ETIMEDOUT where that lies on a mount that does not answer any more. */
int render_have_run(uint32_t which, const char *path, const struct render_file *, int signal_fd,
		    struct str *out);

/* Has the broker do something to @path, which must be a file of the command line, by a process of
 * its own: program number @which of enum record_program, with these bytes, @at there. Errors and
 * signals as above; -ETIMEDOUT, too, where it stands still for a minute. What is stuck in the
 * kernel then does nothing when it goes on. */
#define RENDER_SAVED '!' /* the last that it prints */
int render_have_saved(uint32_t which, const char *path, uint64_t at, const struct render_file *,
		      int signal_fd);

#define RENDER_NAME  "eprof-render"
#define RENDER_WORDS 16 /* at most */
/* What is handed to it, as it knows it. */
#define RENDER_FILE "/proc/self/fd/3"

/* Descriptors of what is handed to it (-1: nothing), and of what it prints. */
struct render_ends {
	int file, out, said;
};

/* As "for-eprof", @words…; NULL ends them. *@child leads a group of its own. 0, or a negative errno
 * with a text. */
int render_start(const char *const *words, const struct render_ends *, pid_t *child);

#endif
