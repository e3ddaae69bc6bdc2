/*
 * windowing: from one window of a capture to the next. A window ends in three steps, each at a
 * tick:
 *
 * 1. the kernel is told to send each stack anew, so that those sent so far can be forgotten;
 * 2. when all that was sent before has been taken in, a child begins to write what there is as a
 *    profile of its own (window_writer.h), while the next window's rows come in;
 * 3. when the sinks have it, its rows are dropped, and with them the stacks, threads, processes and
 *    images that nothing refers to any more. Where it could not be written nothing is dropped: the
 *    next window holds it all.
 */
#ifndef CAPTURE_WINDOWING_H
#define CAPTURE_WINDOWING_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/window_writer.h"
#include "capture/intake.h"
#include "capture/sources.h"

/* Which of the steps is under way. */
enum window_step { WINDOW_NONE, WINDOW_RESENDING, WINDOW_WRITING };

/* What it works with; all borrowed. */
struct windowing_host {
	struct session *session;
	struct intake *in;
	const struct sources *sources;
	const struct sinks *sinks; /* none: there is one window, the capture */
	struct window_maker maker; /* see window_writer.h */
	void (*say)(const void *context, const char *text); /* NULL: nobody is told */
	const void *context;				    /* of say */
	uint64_t length_ns;				    /* of a window; 0: the usual one */
};

/* Zeroed before windowing_start(). */
struct windowing {
	struct windowing_host host;
	struct window_writer writer;
	struct ledger_past past;
	enum window_step step;
	uint64_t start_ns; /* of the window, CLOCK_MONOTONIC, as the other times */
	uint64_t end_ns;   /* of the one that is being written */
	uint64_t due_ns;
	uint64_t tried_ns;    /* when the end of one was begun last */
	uint64_t resent_ns;   /* since when stacks are sent anew */
	uint32_t images;      /* that there ever were when the window began */
	uint32_t first_stack; /* that was sent since, or later */
	uint64_t side_lost;   /* of intake, at the end of the last window */
	bool failed;	      /* somebody was told that a window cannot be written */
};

void windowing_start(struct windowing *, const struct windowing_host *, uint64_t now_ns);
/* At each tick, after all was drained. */
void windowing_tick(struct windowing *, uint64_t now_ns);
/* Waits for the window that is being written. Its names are cut short where a signal comes to
 * @signal_fd, which is not read. */
void windowing_end(struct windowing *, int signal_fd);
/* Whether one was ever begun: sinks may have something. */
bool windowing_has_begun(const struct windowing *);
/* Whether sinks keep any. */
bool windowing_has_windows(const struct windowing *);
void windowing_release(struct windowing *);

#endif
