/*
 * capture: one capture from start to profile: the session in the kernel, the sideband, what is
 * known of processes, and the event sources, driven at a slow tick.
 */
#ifndef SOURCE_CAPTURE_H
#define SOURCE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/event.h"
#include "load/session.h"
#include "load/target.h"
#include "model/profile.h"
#include "source/sources.h"

struct capture_options {
	struct target *target;	    /* opened; borrowed */
	const struct event *events; /* borrowed */
	size_t n_events;
	double hz;
	int64_t duration_ns; /* 0: until the target ends or a signal comes */
	enum sampler sampler;
	const void *sources[SOURCES]; /* the options of each; NULL: it is not asked for; borrowed */
	unsigned hash_bits;	      /* 64 but in tests */
	uint64_t table_bytes;	      /* TABLES_MAX_BYTES but in tests */
	/* Says what the caller knows of the run (profile_set_run, machine_describe): of every
	 * profile that is made, also those of windows, which are while the capture goes on.
	 * NULL: nothing. */
	void (*describe)(const void *context, struct profile *);
	/* Is told what is to be known while the capture goes on, a line; NULL: nobody is. */
	void (*say)(const void *context, const char *text);
	const void *context;	/* of both; borrowed */
	const char *checkpoint; /* where the windows so far are kept while the capture runs; a
				 * kill -9 loses no more than what came after them. NULL: nowhere,
				 * and all is in memory */
	int64_t window_ns;	/* how long one is; 0: the usual */
};

enum capture_end {
	CAPTURE_RUNNING,
	CAPTURE_SIGNAL, /* SIGINT, SIGTERM or SIGHUP */
	CAPTURE_TIME,	/* duration reached */
	CAPTURE_EXITED, /* the target is gone */
};

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
/* Counts until the end. A second signal, during or after it, kills the program as usual. */
int capture_run(struct capture *, capture_progress_fn, void *context, enum capture_end *end);
/* Why a source that was asked for captures nothing; NULL: all do. */
const char *capture_forbidden(const struct capture *);
/* Whether the file of the windows (checkpoint) has what the profile has not: it could not be read.
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

/* Wait status of the command, which is looked at anew; -1 while it runs, or without a command. */
int capture_command_status(struct capture *);
/* Why the command could not be run: -ENOENT, -EACCES …; 0 where that is not what failed. */
int capture_command_error(const struct capture *);

#endif
