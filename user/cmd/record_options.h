/*
 * record_options: the command line of record.
 */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cmd/record_compare.h"
#include "cmd/record_probes.h"
#include "load/session.h"
#include "load/target.h"
#include "perf/event.h"
#include "source/oncpu.h"
#include "capture/sources.h"

#define SOURCE_OPTIONS 8 /* of a source, at most */

struct record_options {
	struct record_source {
		struct record_options *options;
		uint8_t source, option;
	} asked[SOURCES][SOURCE_OPTIONS]; /* of the options of sources: which one that is */
	struct target target;		  /* not opened */
	struct event events[WIRE_EVENTS];
	size_t n_events;
	const char *event_choice; /* why this event, where none was asked for; else NULL */
	int64_t hz, duration_ns;
	int64_t window_ns;	    /* 0: the usual */
	int64_t naming_ns;	    /* 0: no limit */
	const char *output, *store; /* NULL: none, but one of them is there */
	const char *version_key;    /* NULL: from the target */
	struct record_baseline baseline;
	bool force, exit_code, help;
	bool source;		      /* store the lines of hot functions */
	VEC(char *) source_dirs;      /* absolute, owned: where they may be, too */
	uint64_t every;		      /* -c; 0: by rate */
	bool rate_given;	      /* -F was */
	const char *opens_with;	      /* the metric for reports of time on and off CPUs, or NULL */
	void *parsed[SOURCES];	      /* options of sources that have their own; owned */
	const void *sources[SOURCES]; /* the options of those that are asked for, else NULL */
	struct oncpu_options oncpu;   /* of the events */
	struct record_probes probes;
	enum sampler sampler;
	unsigned hash_bits;
	uint64_t table_bytes;
};

/* Options that only build/eprof-tests has: tests/options.c. */
extern const struct option_row record_test_rows[] __attribute__((weak));

/* 0, or an exit status after it has said on stderr what is wrong. argv is borrowed. To be released
 * in either case. */
int record_options_parse(struct record_options *, int argc, char **argv);
void record_options_release(struct record_options *);
void record_options_help(void);

#endif
