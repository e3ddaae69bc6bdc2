/*
 * render_run: runs eprof-render to read HDF5 files that this program has not written: stores,
 * baselines, the file of `eprof name`. They are untrusted, so the library parses them in a process
 * that can do nothing else (render/sandbox). Its answer is as untrusted as the file.
 */
#ifndef CMD_RENDER_RUN_H
#define CMD_RENDER_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

#define RENDER_RUN_BYTES (64u << 20) /* limit of its output */

/* A file of bytes for eprof-render, with the path that it has there. */
struct render_file {
	int fd;
	char path[32];
};

/* A file with these bytes. 0, or a negative errno with a text. The caller closes it. */
int render_file_make(struct render_file *, const void *bytes, size_t n);
/* An empty file of @n bytes for it to fill. The same. */
int render_file_room(struct render_file *, size_t n);
void render_file_close(struct render_file *);

/* A @signal_fd of none. */
#define RENDER_RUN_ON (-1)

/*
 * Runs eprof-render, which stands beside this program, as "for-eprof", @words…; NULL ends them.
 * Appends its output to @out. 0 if it exits with 0; else a negative errno, with its error message
 * as the text.
 *
 * @signal_fd: a non-blocking signalfd(2), or RENDER_RUN_ON. After a signal it has
 * RENDER_RUN_GRACE_S to finish; else -EINTR.
 */
#define RENDER_RUN_GRACE_S 2
int render_run(const char *const *words, const struct render_file *file, int signal_fd,
	       struct str *out);

/* Has the broker run it, with the words of program number @which (record_save.h). If the broker is
 * killed meanwhile, runs it again, unless it has printed its answer. @path: the file that it works
 * on; -ETIMEDOUT if that file's mount stops answering. */
int render_run_by_broker(uint32_t which, const char *path, const struct render_file *,
			 int signal_fd, struct str *out);

/* Has the broker work on @path, which must be a file of the command line, in a process of its own:
 * program @which of enum record_program, with these bytes at offset @at. Errors and signals as
 * above; also -ETIMEDOUT if it makes no progress for a minute. A process that is stuck in the
 * kernel does nothing if it ever continues. */
#define RENDER_SAVED '!' /* the last byte that such a process prints */
int render_save_by_broker(uint32_t which, const char *path, uint64_t at, const struct render_file *,
			  int signal_fd);

#define RENDER_NAME  "eprof-render"
#define RENDER_WORDS 16 /* limit */
/* The path of the bytes for it, as it sees them. */
#define RENDER_FILE "/proc/self/fd/3"

/* Descriptors of its input (-1: none), and of its output and messages. */
struct render_ends {
	int file, out, said;
};

/* Starts it as "for-eprof", @words…; NULL ends them. *@child leads its own process group. 0, or a
 * negative errno with a text. */
int render_start(const char *const *words, const struct render_ends *, pid_t *child);

#endif
