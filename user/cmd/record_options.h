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
#include "select/meta_given.h"
#include "source/oncpu.h"
#include "source/processes.h"
#include "capture/sources.h"

#define SOURCE_OPTIONS 8 /* limit for each source */

struct record_options {
	struct record_source {
		struct record_options *options;
		uint8_t source, option;
	} asked[SOURCES][SOURCE_OPTIONS]; /* identifies a source's option */
	struct target target;		  /* not opened yet */
	struct event events[WIRE_EVENTS];
	size_t n_events;
	const char *event_choice; /* why the default event is this one; NULL: the user chose */
	int64_t hz, duration_ns;
	int64_t window_ns;	    /* 0: the default length */
	int64_t naming_ns;	    /* 0: no limit */
	const char *output, *store; /* NULL: none; at least one is set */
	char *default_output;	    /* owned: what output is where none was named */
	const char *version_key;    /* NULL: found from the target */
	struct meta_given meta;	    /* --meta */
	struct record_baseline baseline;
	bool force, exit_code, help;
	bool async;		 /* stacks have what awaits the running task of asyncio */
	bool source;		 /* store the source lines of hot functions */
	VEC(char *) source_dirs; /* folders to search for sources; absolute, owned */
	uint64_t every;		 /* -c; 0: sample by rate */
	bool rate_given;	 /* -F was given */
	const char
		*opens_with; /* metric that reports open with, for time on and off CPUs; or NULL */
	void *parsed[SOURCES];	      /* parsed options of sources that have any; owned */
	const void *sources[SOURCES]; /* options of the requested sources, else NULL */
	struct oncpu_options oncpu;   /* of the events */
	struct processes_options processes;
	struct record_probes probes;
	enum sampler sampler;
	unsigned hash_bits;
	uint64_t table_bytes;
};

/* Options that only build/eprof-tests has: tests/options.c. */
extern const struct option_row record_test_rows[] __attribute__((weak));

/* 0, or an exit status after a message to stderr. Borrows argv. Release it in either case. */
int record_options_parse(struct record_options *, int argc, char **argv);
void record_options_release(struct record_options *);
void record_options_help(void);

#endif
