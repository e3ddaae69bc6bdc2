/*
 * save_start: a process that writes or removes a file of the capture, for the broker: the file
 * system may stop to answer, and then neither the loader nor the broker is stuck there, nor has a
 * descriptor of it.
 */
#ifndef CMD_SAVE_START_H
#define CMD_SAVE_START_H

#include <stdbool.h>
#include <sys/types.h>

#include "cmd/render_start.h"

/* It writes the bytes of @e->file to @path, as file_begin() and file_commit() do; prints a '.' for
 * each piece, and RENDER_SAVED (render_run.h) when the file is there; why it is not on @e->said.
 * *@child leads a group of its own. 0, or a negative errno with a text. */
int save_start(const char *path, bool force, const struct render_ends *e, pid_t *child);
/* The same for one that removes @path; what is not there is no error. */
int remove_start(const char *path, const struct render_ends *e, pid_t *child);

#endif
