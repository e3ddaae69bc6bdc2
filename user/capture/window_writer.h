/*
 * window_writer: makes the profile of a window and hands it to the sinks, in a forked child from
 * its copy of the capture's memory: the capture itself does not pause.
 */
#ifndef CAPTURE_WINDOW_WRITER_H
#define CAPTURE_WINDOW_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/sinks.h"
#include "source/ledger.h"
#include "symbol/namebook.h"

/* Makes the profile of the window, in the child; what sources have counted up by its end; and what
 * it has of that in struct ledger_past. */
struct window_maker {
	int (*make)(void *context, struct profile **, struct profile **counts,
		    struct ledger_past *);
	void *context;
	struct namebook *names; /* what the child looks up, the parent knows afterwards */
	int signal_fd;		/* as of struct sink */
};

/* What the child tells: shared memory. */
struct window_report {
	int error;
	char text[256]; /* of the error */
	struct sink_window window;
	struct ledger_past past; /* samples in it */
};

/* A zeroed one, with maker and sinks set, has written nothing yet. */
struct window_writer {
	struct window_maker maker;
	const struct sinks *sinks;    /* borrowed */
	pid_t child;		      /* writing at the moment, or 0 */
	size_t windows;		      /* that sinks keep */
	struct window_report *report; /* NULL: none was ever begun */
	uint64_t seed;		      /* of the hashes */
	struct namebook_mark names_since;
	int names_fd, counts_fd; /* memory that the child fills; of the names -1: none */
	struct profile *counts;	 /* at the end of the last window that sinks keep */
	int64_t cpu_ns;		 /* of the children that have ended */
};

/* Begins to write a window; no other may be under way. Errors with a text. */
int window_writer_begin(struct window_writer *);
/* Whether one is under way. Else *@error is 0 where sinks keep the one just ended, with what is in
 * it added to @past, and else the error, with a text. @wait: until it ends, or is killed since it
 * takes too long. */
bool window_writer_busy(struct window_writer *, bool wait, struct ledger_past *past, int *error);
/* The child looks up no more names. */
void window_writer_cut_short(const struct window_writer *);
/* The child, and what works for it, run at the priority of the caller from now on: beside thousands
 * of busy processes it would take minutes else, and the next window grows meanwhile. */
void window_writer_hurry(const struct window_writer *);
/* Waits for the child, as @wait does. */
void window_writer_release(struct window_writer *);

#endif
