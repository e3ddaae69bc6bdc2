/*
 * capture: one capture from start to profile: the session in the kernel, the sideband, what is
 * known of processes, and the event sources, driven at a slow tick.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "capture/capture_options.h"

/* What a progress line shows. */
struct capture_progress {
	int64_t elapsed_ns;
	const char *sources; /* what each source says of itself */
	uint64_t lost;
	int64_t own_cpu_ns; /* of the loader, since the start of the capture */
};
typedef void (*capture_progress_fn)(void *context, const struct capture_progress *);

struct capture;
/* Everything up to the moment before counting starts. Blocks SIGINT, SIGTERM and SIGHUP: they
 * end the capture from here on. Errors with a text. */
int capture_open(const struct capture_options *, struct capture **);
/* Counts until the end. The signals stay blocked: what was captured is saved, however many come. */
int capture_run(struct capture *, capture_progress_fn, void *context, enum capture_end *end);
/* Why a source that was asked for captures nothing; NULL: all do. */
const char *capture_forbidden(const struct capture *);
/* Whether there may be a file of windows (sink_file.h). */
bool capture_part_made(const struct capture *);
/* Whether the file of the windows has what the profile has not: it could not be read.
 * After capture_profile(). */
bool capture_part_needed(const struct capture *);
/* The profile of what was captured, named, with ledger and cost, and described. Owned by the
 * caller. */
int capture_profile(struct capture *, struct profile **out);
void capture_free(struct capture *);

/* What a source still waits for, as a library that is not loaded yet; NULL: nothing. The caller
 * owns it. */
char *capture_waiting(const struct capture *);

/* "105 samples of cycles at 99 Hz, 2,145 calls of 15 zones": of a profile that it made. The caller
 * owns it. */
char *capture_total(const struct capture *, const struct profile *);

/* The signalfd(2) of those that end the capture, and then what takes long after it. */
int capture_signals(const struct capture *);

/* The files that stacks lie in. */
struct images *capture_images(const struct capture *);

/* Wait status of the command, which is looked at anew; -1 while it runs, or without a command. */
int capture_command_status(struct capture *);
/* Why the command could not be run: -ENOENT, -EACCES …; 0 where that is not what failed. */
int capture_command_error(const struct capture *);

#endif
