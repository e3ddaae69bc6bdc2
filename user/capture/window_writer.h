/*
 * checkpoint: the file in which the windows of a capture are kept while it runs, one behind the
 * other, so that a kill -9 or a crash of eprof loses no more than what came after the last one.
 * Each is written by a forked child from its copy of the capture's memory: the capture itself does
 * not pause. A window that could not be written whole leaves the file as it was.
 *
 * At the end the capture reads them again. The file may belong to a stranger by then (file.h gives
 * it to the user who called sudo), so what is read must be what was written.
 */
#ifndef CAPTURE_CHECKPOINT_H
#define CAPTURE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "base/window_file.h"
#include "model/splice.h"
#include "source/ledger.h"
#include "symbol/namebook.h"

/* Makes the profile of the window, in the child; what sources have counted up by its end; and what
 * it has of that in struct ledger_past. */
struct checkpoint_maker {
	int (*make)(void *context, struct profile **, struct profile **counts,
		    struct ledger_past *);
	void *context;
	struct namebook *names; /* what the child looks up, the parent knows afterwards */
	int signal_fd;		/* as of struct window_place */
};

/* What the child tells: shared memory. */
struct checkpoint_report {
	int error;
	char text[256]; /* of the error */
	uint64_t bytes, hash;
	struct ledger_past past; /* samples in it */
};

struct checkpoint_window {
	uint64_t bytes, hash;
};

/* A zeroed one has no file yet. */
struct checkpoint {
	pid_t child;  /* writing at the moment, or 0 */
	uint64_t end; /* of what is whole in the file */
	VEC(struct checkpoint_window) windows;
	uint64_t seed; /* of the hashes */
	struct checkpoint_report *report;
	struct namebook_mark names_since;
	int names_fd;
	int counts_fd;
	struct profile *counts; /* at the end of the last window that is in the file */
	int64_t cpu_ns;		/* of the children that have ended */
};

/* Begins to write a window; no other may be under way. Errors with a text. */
int checkpoint_begin(struct checkpoint *, const struct window_place *,
		     const struct checkpoint_maker *);
/* Whether one is under way. Else *@error is 0 where the one just ended is in the file, with what is
 * in it added to @past, and else the error, with a text. @wait: until it ends, or is
 * killed since it takes too long. */
bool checkpoint_busy(struct checkpoint *, bool wait, const struct checkpoint_maker *,
		     struct ledger_past *past, int *error);
/* The child looks up no more names. */
void checkpoint_cut_short(const struct checkpoint *);
/* The child, and what works for it, run at the priority of the caller from now on: beside thousands
 * of busy processes it would take minutes else, and the next window grows meanwhile. */
void checkpoint_hurry(const struct checkpoint *);
/* Reads all windows there are. An error with a text where one is not what was written: those before
 * it have been added. */
int checkpoint_read(const struct checkpoint *, const struct window_place *, struct splice *);
/* Waits for the child, as @wait does; the file stays. */
void checkpoint_release(struct checkpoint *);

#endif
