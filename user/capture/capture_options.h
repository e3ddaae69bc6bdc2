/*
 * capture_options: the options of a capture.
 */
#ifndef CAPTURE_OPTIONS_H
#define CAPTURE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "load/session.h"
#include "load/target.h"
#include "model/profile.h"
#include "perf/event.h"
#include "capture/sinks.h"
#include "capture/sources.h"

/* Why a capture ended. */
enum capture_end {
	CAPTURE_RUNNING,
	CAPTURE_SIGNAL, /* SIGINT, SIGTERM or SIGHUP */
	CAPTURE_TIME,	/* duration reached */
	CAPTURE_EXITED, /* the target is gone */
};

struct capture_options {
	struct opener *opener;	    /* see process/opener.h; borrowed; NULL: none */
	struct target *target;	    /* opened; borrowed */
	const struct event *events; /* borrowed */
	size_t n_events;
	double hz;
	int64_t duration_ns; /* 0: until the target exits or a signal comes */
	enum sampler sampler;
	const void
		*sources[SOURCES]; /* options of each source, borrowed; NULL: it is not requested */
	bool async;		   /* stacks have what awaits the running task of asyncio */
	unsigned hash_bits;	   /* 64, except in tests */
	uint64_t table_bytes;	   /* TABLES_MAX_BYTES, except in tests */
	/* Adds what the caller knows of the run (profile_set_run, machine_describe) to each
	 * profile that the capture makes, those of windows included. May be NULL. */
	void (*describe)(const void *context, struct profile *);
	/* Called with each line that the user should see during the capture. May be NULL. */
	void (*say)(const void *context, const char *text);
	const void *context; /* of both; borrowed */
	/* Where windows go: options of each sink, borrowed; NULL: not to this one. Without any
	 * sink the whole capture is one window and stays in memory until it ends. */
	const void *sinks[SINKS];
	int64_t naming_ns; /* time limit for naming a window; 0: none */
	int64_t window_ns; /* length of a window; 0: the default */
};

#endif
