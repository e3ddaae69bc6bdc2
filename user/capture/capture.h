/*
 * capture: one capture from start to profile. Owns the session in the kernel, the intake of its
 * records, the sources and the windows, and drives them at a slow tick.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "capture/capture_options.h"

struct slowdown_figure; /* model/taken.h */
/* What a line of progress shows. */
struct capture_progress {
	int64_t elapsed_ns;
	const char *sources; /* what each source says of itself */
	uint64_t lost;
	int64_t own_cpu_ns; /* of the loader, since the start of the capture */
	/* Of the target so far, as of a finished capture; NULL: unknown. */
	const struct slowdown_figure *slowdown;
};
typedef void (*capture_progress_fn)(void *context, const struct capture_progress *);

struct capture;
/* Prepares everything up to the moment before counting starts. Blocks SIGINT, SIGTERM and SIGHUP,
 * which end the capture from here on. Errors with a text. */
int capture_open(const struct capture_options *, struct capture **);
/* Captures until the end. The signals stay blocked afterwards: however many come, what was
 * captured is saved. */
int capture_run(struct capture *, capture_progress_fn, void *context, enum capture_end *end);
/* Why a requested source captures nothing; NULL: all of them capture. */
const char *capture_forbidden(const struct capture *);
/* Whether there may be a file of windows (sink_file.h). */
bool capture_part_made(const struct capture *);
/* Whether the file of windows must be kept, since windows in it could not be read and are missing
 * in the profile. Valid after capture_profile(). */
bool capture_part_needed(const struct capture *);
/* The profile of the whole capture, with names, ledger, cost and description. Owned by the
 * caller. */
int capture_profile(struct capture *, struct profile **out);
void capture_free(struct capture *);

/* What a source is still waiting for, such as a library that is not loaded yet; NULL: nothing.
 * Owned by the caller. */
char *capture_waiting(const struct capture *);

/* Sums up a profile that this capture made: "105 samples of cycles at 99 Hz, 2,145 calls of 15
 * zones". Owned by the caller. */
char *capture_total(const struct capture *, const struct profile *);

/* The signalfd(2) of the signals that end the capture, and later cut short what takes long after
 * it. */
int capture_signals(const struct capture *);

/* The images that the captured stacks lie in. */
struct images *capture_images(const struct capture *);

/* The command's wait status, polled now; -1 while it runs, or without a command. */
int capture_command_status(struct capture *);
/* Why the command could not be started (-ENOENT, -EACCES …); 0 if it was started. */
int capture_command_error(const struct capture *);

#endif
