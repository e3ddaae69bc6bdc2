/*
 * source: the user half of an event source: turns records and what happens to processes into rows
 * of a profile. The capture knows sources by their table alone (sources.h). To add one: a row in
 * bpf/sources.def, which says where the two halves live.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stddef.h>

#include "base/str.h"
#include "load/session.h"
#include "load/target.h"
#include "perf/sideband.h"
#include "crew/crew.h"
#include "process/images.h"
#include "process/procs.h"
#include "stack/assembly.h"
#include "source/survivors.h"
#include "stack/stackbook.h"

struct ledger_input;

/* What all sources share; borrowed while the capture lasts. */
struct source_services {
	struct session *session;
	struct opener *opener; /* see process/opener.h */
	struct images *images;
	struct procs *procs;
	const struct target *target;
	const struct crew_wait *wait; /* asked while others are waited for */
	/* Is told what is to be known while the capture goes on, a line; NULL: nobody is. */
	void (*say)(const void *context, const char *text);
	const void *context; /* of say */
};

/* A sample whose user stack was walked here. */
struct source_slice {
	const struct wire_slice *wire;
	uint32_t stack;
	bool dropped; /* the walker in the kernel lacked a table that it had had */
};

/* An option of record that asks for a source. */
struct source_option {
	const char *name; /* "off-cpu" */
	/* What its argument is called in the help, NULL: it has none; and what it does. */
	const char *argument, *does;
	/* What the source's new() gets, from the argument, NULL without one. @before: what an
	 * option before this one led to; it may be changed and given back. The caller's to free(3).
	 * NULL: errors with a text (err_code()). */
	void *(*parse)(const char *argument, void *before);
	/* NULL: it asks for no more. Else it also asks for samples of all time on CPUs, and reports
	 * open with this metric (model/measure.h). */
	const char *with_clock;
};

/* All operations but the first four may be NULL: nothing to do then. They are called of sources
 * that the capture asks for, on the state that new() made, in the order in which they stand here.
 */
struct source {
	const char *name;
	/* NULL: there is none, the command knows the source's options; else the end has no name. */
	const struct source_option *options;
	/* Names of BPF programs, NULL behind the last: loaded, and attached to what their sections
	 * name, where the source is asked for. So are maps made whose names begin with that of the
	 * source and "_". */
	const char *const *programs;
	/* What is captured with these options, in words: "time off the CPU, a sample per 10.1 ms";
	 * NULL: it is called by its name where there is no event. @hz: as asked for by -F. */
	void (*captures)(const void *options, double hz, struct str *);
	/* What takes long at the start, and at the end, in words: "taking the probes away". NULL:
	 * nothing does. */
	const char *opening, *closing;
	void *(*new)(const void *options);
	void (*free)(void *);
	/* Adds its rows. Called once a profile, behind metrics(). */
	void (*finish)(const void *, struct assembly *);

	/* --- metrics: what the values of its samples are, see model/profile.h --- */
	/* Adds its own to the profile, the same in the same order each time; those of other sources
	 * may be there. */
	void (*metrics)(void *, struct profile *);
	/* Hits that became no sample so far, for the line of progress. */
	uint64_t (*lost)(const void *);

	/* --- the start --- */
	/* Before the session is opened: what of it the source needs. */
	void (*request)(void *, struct session_options *);
	/* Before anything is taken in. */
	void (*begin)(void *, const struct source_services *);
	/* The target's processes are known, and events attached. Errors with a text. */
	int (*open)(void *);
	/* What counts, counts from here on. */
	void (*start)(void *);

	/* --- records --- */
	/* One of its kind, in order of time, whole; @procs is as it was at that time. */
	void (*take)(void *, const void *record, struct stackbook *, struct procs *);
	/* A sample whose user stack had to be walked here. */
	void (*take_slice)(void *, const struct source_slice *, struct stackbook *, struct procs *);

	/* --- processes of the target --- */
	void (*code_changed)(void *, uint32_t pid); /* by a mapping; also: it is new */
	void (*forked)(void *, uint32_t pid, uint32_t child);
	void (*exec)(void *, uint32_t pid);
	void (*leader_exited)(void *, uint32_t pid); /* its first thread; others may go on */
	/* Of all processes there are, before what it means for the target. */
	void (*seen)(void *, const struct side_record *);

	/* --- time --- */
	/* Around what has come in since the last time: before, and after but for the last time. */
	void (*before_drain)(void *);
	void (*after_drain)(void *);
	/* Work between ticks: when it is due (CLOCK_MONOTONIC; UINT64_MAX: never), and, if it is, a
	 * round of it; false: it was not. */
	uint64_t (*due_ns)(const void *);
	bool (*round)(void *);
	void (*tick)(void *);
	/* For a line of progress, two spaces behind each part: "1,204 calls  ". */
	void (*progress)(const void *, struct str *);

	/* --- windows: see capture/windowing.h --- */
	/* Events go on; sends records about what no event tells, before the end of a window and of
	 * the capture: a part of them, which is taken in before it is called again. False: these
	 * were all. */
	bool (*survey)(void *);
	/* The rows that it has now are of the window that ends; they are being written, by a copy
	 * of the process that calls finish(). What comes from now on is the next window's. Called
	 * for the last window, too, when the one before it is in the file or failed. */
	void (*window_end)(void *);
	/* They are in the file: forgets them, and marks what its other rows refer to. Where they
	 * could not be written this is not called, and they are the next window's too. */
	void (*window_forget)(void *, struct survivors *);
	/* What its rows refer to has other numbers now. */
	void (*window_renumber)(void *, const struct survivors *);
	/* Images that nobody refers to are forgotten then: it lets go of those that nobody runs any
	 * more, and marks the others that it refers to by number, one byte an image. */
	void (*hold_images)(void *, uint8_t *used);

	/* --- the end --- */
	void (*ending)(void *);	 /* events still come */
	void (*stop)(void *);	 /* what counts, counts no more */
	void (*drained)(void *); /* the last record was taken */

	/* --- a profile --- */
	/* What became of the hits of its metrics: ledger_outcomes() of each, and rows of its own.
	 * Before any source adds rows. */
	void (*account)(const void *, struct profile *, const struct ledger_input *);
	/* Rows that hold the samples, which are all there, against its own totals. */
	void (*reconcile)(const void *, struct profile *, const struct ledger_input *);
	/* Before any source adds rows. */
	void (*assemble)(const void *, struct assembly *);
	/* How long its BPF programs ran, where the session does not know. */
	struct program_run (*run)(const void *, const struct profile *);
	/* Of that, the time that they took from the target, unless it has an account of its own,
	 * and what it took to get to them. */
	double (*programs_ns)(const void *);
	/* Time that its probes took from the target, beside the programs that the session times. */
	double (*probes_ns)(const void *);
	/* CPU time of processes that work for it. */
	int64_t (*cpu_ns)(const void *);
	/* What the profile has of it: "2,145 calls of 15 zones". */
	void (*total)(const void *, const struct profile *, struct str *);
	/* What it waits for still, in words of the caller's own; NULL: nothing. */
	char *(*waiting)(const void *);
	/* Why it captures nothing at all though it could; NULL: it does. */
	const char *(*forbidden)(const void *);
};

#endif
