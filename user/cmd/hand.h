/*
 * hand: a process that does something to a file of the capture, for the broker: the file system may
 * stop to answer, and then neither the loader nor the broker is stuck there, nor has a descriptor
 * of it.
 */
#ifndef CMD_HAND_H
#define CMD_HAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/window_file.h"
#include "cmd/record_program.h"
#include "cmd/render_start.h"

struct hand {
	enum record_program what; /* one of RECORD_SAVE and those behind it */
	const char *path;
	bool force;		     /* of RECORD_SAVE */
	struct window_file *windows; /* of RECORD_PUT and RECORD_GET: in memory that is shared */
	struct window_file *saved;   /* of RECORD_SAVE, likewise: zeroed at first */
	uint64_t at;		     /* likewise */
};

/* RECORD_SAVE: it writes the bytes of @e->file to @path, as file_begin() and file_commit() do,
 * unless that was done by one that ended before it could say so. RECORD_PUT, RECORD_GET:
 * window_file_put() of these bytes, window_file_get() of so many. RECORD_REMOVE: what is not there
 * is no error.
 *
 * It prints '.' for what it has done of it, and RENDER_SAVED (render_run.h) at the end; why it
 * failed on @e->said. *@child leads a group of its own. 0, or a negative errno with a text. */
int hand_start(const struct hand *, const struct render_ends *e, pid_t *child);

#endif
