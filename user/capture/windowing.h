/*
 * windowing: ends one window of a capture and begins the next, in three steps, each at a tick:
 *
 * 1. it tells the kernel to send each stack again, so that those sent so far can be forgotten;
 * 2. once intake has handled all that was sent before, it has a child write the window's rows as a
 *    profile (window_writer.h), while rows of the next window arrive;
 * 3. once the sinks hold that profile, it drops the rows, and the stacks, threads, processes and
 *    images to which nothing refers any more. If the window could not be written it drops nothing:
 *    the next window will contain it.
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
	const struct sinks *sinks; /* none: the whole capture is one window */
	struct window_maker maker; /* see window_writer.h */
	void (*say)(const void *context, const char *text); /* may be NULL */
	const void *context;				    /* of say */
	uint64_t length_ns;				    /* of a window; 0: the default */
};

/* Zeroed before windowing_start(). */
struct windowing {
	struct windowing_host host;
	struct window_writer writer;
	struct ledger_past past;
	enum window_step step;
	uint64_t start_ns; /* of the window; all times are of CLOCK_MONOTONIC */
	uint64_t end_ns;   /* of the window that is being written */
	uint64_t due_ns;
	uint64_t tried_ns;    /* when a window was last ended, or failed to end */
	uint64_t resent_ns;   /* when the kernel was told to send each stack again */
	uint32_t images;      /* made before the window began */
	uint32_t first_stack; /* the first that was sent after resent_ns */
	uint64_t side_lost;   /* intake's side_lost at the end of the last window */
	bool failed;	      /* the user was told that a window cannot be written */
};

void windowing_start(struct windowing *, const struct windowing_host *, uint64_t now_ns);
/* Call at each tick, after intake_drain(). */
void windowing_tick(struct windowing *, uint64_t now_ns);
/* Waits for the window that is being written. A signal at @signal_fd, which is not read, cuts its
 * naming short. */
void windowing_end(struct windowing *, int signal_fd);
/* Whether writing a window was ever begun, so that sinks may hold something. */
bool windowing_has_begun(const struct windowing *);
/* Whether sinks hold a window. */
bool windowing_has_windows(const struct windowing *);
void windowing_release(struct windowing *);

#endif
