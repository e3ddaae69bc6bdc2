/*
 * source: the user half of an event source, which turns records and events of processes into rows
 * of a profile. The capture knows sources by their table alone (capture/sources.h). To add one: a
 * row in bpf/sources.def, which says where the two halves are.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stddef.h>

#include "base/str.h"
#include "load/session.h"
#include "load/target.h"
#include "model/taken.h"
#include "perf/sideband.h"
#include "crew/crew.h"
#include "process/images.h"
#include "process/procs.h"
#include "stack/assembly.h"
#include "stack/survivors.h"
#include "stack/unwound.h"
#include "stack/stackbook.h"

struct ledger_input;

/* What all sources share; borrowed during the capture. */
struct source_services {
	struct session *session;
	struct opener *opener; /* see process/opener.h */
	struct images *images;
	struct procs *procs;
	const struct target *target;
	const struct crew_wait *wait; /* asked while a source waits for other processes */
	/* Called with each line that the user should see during the capture. May be NULL. */
	void (*say)(const void *context, const char *text);
	const void *context; /* of say */
	/* What all but probes took from the target so far, in ns. */
	double (*beside_probes_ns)(const void *capture);
	const void *capture;
};

/* An option of `eprof record` that requests a source. */
struct source_option {
	const char *name; /* "off-cpu" */
	/* The name of its argument in the help, "[=NAME]" if it may be left out, NULL if it takes
	 * none; and what it does. */
	const char *argument, *does;
	/* Returns the options that new() gets, from the argument (NULL if there is none). @before:
	 * the result of an earlier option of the source, which may be changed and returned. The
	 * caller frees it with free(3). NULL on error, with a text (err_code()). */
	void *(*parse)(const char *argument, void *before);
	/* If not NULL, the option also requests samples of all time on CPUs, and reports open with
	 * this metric (query/measure.h). */
	const char *with_clock;
	/* If not NULL, sources have options of this name, of which the first that takes the
	 * argument (NULL if there is none) is requested: "--heap", "--heap=faults". The argument
	 * may then be left out. */
	bool (*takes)(const char *argument);
	/* Of an action: others that the option is for as well, bits. Where one of them is asked
	 * for, it alone does not request this one. */
	uint32_t also_for;
};

/* Operations other than the first four may be NULL; of an action, all: its state is then
 * the engine's. The capture calls them for the sources that it uses, on the state that new() made,
 * in the order in which they stand here. */
struct source {
	const char *name;
	/* The last has no name. NULL: the command itself knows the source's options. */
	const struct source_option *options;
	/* Names of BPF programs, ended by NULL. If the source is used, they are loaded and
	 * attached to what their sections name. The same holds for maps whose names begin with the
	 * source's and "_". */
	const char *const *programs;
	/* Sources beside which it is captured, unasked: how the names of their BPF maps begin,
	 * ended by NULL. */
	const char *const *beside;
	/* Adds what is captured with these options, in words: "time off the CPU, a sample per 10.1
	 * ms". NULL: the source's name is printed where there is no event. @hz: that of -F. */
	void (*captures)(const void *options, double hz, struct str *);
	/* What may take long at the start and at the end, in words: "taking the probes away".
	 * NULL: nothing does. */
	const char *opening, *closing;
	void *(*new)(const void *options);
	void (*free)(void *);
	/* Adds its rows to the profile. Called once a profile, after metrics(). */
	void (*finish)(const void *, struct assembly *);

	/* --- metrics: what the values of its samples are, see model/profile.h --- */
	/* Adds its metrics to the profile, the same in the same order each time, behind those of
	 * other sources. */
	void (*metrics)(void *, struct profile *);
	/* Hits lost so far, for the line of progress. */
	uint64_t (*lost)(const void *);

	/* --- the start --- */
	/* Before the session is opened: adds what the source needs of it. */
	void (*request)(void *, struct session_options *);
	/* Before the first record is handled. */
	void (*begin)(void *, const struct source_services *);
	/* Once the target's processes are known and events are attached. Errors with a text. */
	int (*open)(void *);
	/* Counting starts. */
	void (*start)(void *);

	/* --- records --- */
	/* A whole record of its kind, in order of time; @procs is in the state of that time. */
	void (*take)(void *, const void *record, struct stackbook *, struct procs *);
	/* A sample whose user stack was unwound in user space. */
	void (*take_slice)(void *, const struct source_slice *, struct stackbook *, struct procs *);

	/* --- processes of the target --- */
	void (*code_changed)(void *,
			     uint32_t pid); /* by a new mapping, or since the process is new */
	void (*forked)(void *, uint32_t pid, uint32_t child);
	void (*exec)(void *, uint32_t pid);
	void (*leader_exited)(void *, uint32_t pid); /* its first thread; other threads may go on */
	/* Any process on the machine, called before the operations above. */
	void (*seen)(void *, const struct side_record *);

	/* --- time --- */
	/* Before and after the records since the last time are handled; at the end of the capture
	 * only before. */
	void (*before_drain)(void *);
	void (*after_drain)(void *);
	/* Work between ticks: when it is due (CLOCK_MONOTONIC; UINT64_MAX: never); and a round of
	 * it, if due. Returns whether it was. */
	uint64_t (*due_ns)(const void *);
	bool (*round)(void *);
	void (*tick)(void *);
	/* The user asks (SIGUSR2) to keep what would be overwritten later. */
	void (*keep)(void *);
	/* Adds to the line of progress, two spaces after each part: "1,204 calls ". */
	void (*progress)(const void *, struct str *);

	/* --- windows: see capture/windowing.h --- */
	/* Before the end of a window or of the capture, while events go on: sends some of the
	 * records about what no event reports. They are handled before it is called again. Returns
	 * false after the last. */
	bool (*survey)(void *);
	bool surveys_stacks; /* that takes the stacks of threads that sleep */
	/* The rows that it has now belong to the window that ends; a copy of the process, which
	 * calls finish(), writes them. Rows from now on belong to the next window. Called for the
	 * last window, too, once the one before it is written or has failed. */
	void (*window_end)(void *);
	/* They are written: drops them, and marks what its other rows refer to. Not called if they
	 * could not be written: then they belong to the next window, too. */
	void (*window_forget)(void *, struct survivors *);
	/* Puts the new numbers into its rows. */
	void (*window_renumber)(void *, const struct survivors *);
	/* Before unused images are forgotten: releases those that no process runs any more, and
	 * marks the others that it refers to. @used: one byte an image, by number. */
	void (*hold_images)(void *, uint8_t *used);

	/* --- the end --- */
	void (*ending)(void *);	 /* while events still arrive */
	void (*stop)(void *);	 /* counting stops */
	void (*drained)(void *); /* after the last record was handled */

	/* --- a profile --- */
	/* Adds to the ledger what became of the hits of its metrics: ledger_outcomes() of each,
	 * and rows of its own. Before any source adds rows. */
	void (*account)(const void *, struct profile *, const struct ledger_input *);
	/* After all samples are there: adds rows that compare them with its own totals. */
	void (*reconcile)(const void *, struct profile *, const struct ledger_input *);
	/* Prepares the assembly, before any source adds rows. */
	void (*assemble)(const void *, struct assembly *);
	/* The run time of its BPF programs, if the session does not know it. */
	struct program_run (*run)(const void *, const struct profile *);
	/* Adds what it took from the target since the start of the capture, but for what the
	 * session times by event. @p: a profile with all its rows; NULL: while the capture runs. */
	void (*taken)(const void *, const struct profile *p, struct taken *sum);
	/* CPU time of the processes that work for it. */
	int64_t (*cpu_ns)(const void *);
	/* Adds what the profile has of it: "2,145 calls of 15 zones". */
	void (*total)(const void *, const struct profile *, struct str *);
	/* What it is still waiting for, in words that the caller frees; NULL: nothing. */
	char *(*waiting)(const void *);
	/* Why it captures nothing at all; NULL: it does capture. */
	const char *(*forbidden)(const void *);
};

#endif
