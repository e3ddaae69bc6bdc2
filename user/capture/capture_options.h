/*
 * capture_options: what a capture is asked for. For its caller and itself.
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

/* How a capture ends. */
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
	const void *context; /* of both; borrowed */
	/* Where windows go: the options of each sink; NULL: not there; borrowed. With none the
	 * capture is one window, and in memory until it ends. */
	const void *sinks[SINKS];
	int64_t naming_ns; /* how long naming a window may take; 0: as long as it does */
	int64_t window_ns; /* how long one is; 0: the usual */
};

#endif
