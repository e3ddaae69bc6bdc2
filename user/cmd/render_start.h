/*
 * render_start: starts eprof-render, which stands beside this program. For render_run and for the
 * broker of a capture.
 */
#ifndef CMD_RENDER_START_H
#define CMD_RENDER_START_H

#include <sys/types.h>

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
