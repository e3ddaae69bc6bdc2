/*
 * facts: what a summary says line by line, made by several files: the figures of summary.c, what
 * capture.c knows besides, and what system calls, threads that waited, threads without a CPU and
 * missing names come to.
 */
#ifndef VIEW_FACTS_H
#define VIEW_FACTS_H

#include "base/str.h"
#include "view/view.h"

#define DOUBT 5.0 /* percent from which a weakness of the data is to be seen */

/* finding.c: the sentence that a summary opens with: what the capture shows, from the evidence in
 * it. "The busiest of 6 threads, worker-3 4711, ran for 517 ms of 2.00 s, 98.5 % of that in turns;
 * …." as a paragraph; none where there is nothing to say. */
void finding_write(const struct view_input *, struct doc *);

/* summary.c: a run's attribute, if it is known. */
void run_fact(const struct view_input *, struct doc_block *, const char *label, const char *key);
/* What changes what one should believe of all that follows; and the figures. */
void doubt_facts(const struct view_input *, struct doc_block *);
void figure_facts(const struct view_input *, struct doc_block *);

/* syscalls.c: "352,939 in 2.36 s: epoll_wait 41.0 %, writev 20.3 %, openat 11.2 % of that time;
 * 3,204 failed"; nothing where the capture has none. */
void syscalls_fact(const struct view_input *, struct doc_block *);

/* calls.c: "610 events, 293 calls; longest: catcher 8.50 ms in a 3193; 84 left by exceptions;
 * 12,034 older than the last ones, which are kept (--events, --last)"; nothing where the capture
 * has no timeline. */
void timeline_fact(const struct view_input *, struct doc_block *);

/* heap.c: "5.0 KiB live, 102.5 KiB at the peak, 0 B leaked; 156 KiB in 1,061 allocations, …";
 * nothing where the capture has none. */
void heap_fact(const struct view_input *, struct doc_block *);

/* memory.c: "grew by 12.3 MiB (anonymous 11.9 MiB, files 400.0 KiB), gave back 8.1 MiB; …"; nothing
 * where the capture has none. */
void memory_fact(const struct view_input *, struct doc_block *);

/* memory_levels.c: tables of what processes had before the capture, and over time; and the same in
 * two lines: "12.1 MiB resident at the start, 40.3 MiB at the end, …". Nothing where the capture
 * has none. An error of threads_choose(). */
int memory_levels_write(const struct view_input *, struct doc *);
void memory_levels_fact(const struct view_input *, struct doc_block *);
/* The first of these lines alone: owned; NULL: there is none. */
char *memory_before_text(const struct view_input *);

/* wait_facts.c: the threads of a capture of waits that were busy or held up, after them how much
 * was idle and undecided. Nothing where the measure shown has no waits. */
void wait_facts(const struct view_input *, struct doc_block *);
/* What --omit-idle left out, where it is given. */
void wait_left_out_fact(const struct view_input *, struct doc_block *);
/* A table of threads, each with its time busy, ready, held up, undecided and idle, and where it
 * waited. Nothing where the capture has no waits, or a metric was asked for. */
void who_table(const struct view_input *, struct doc *);

/* wait_facts.c: how long threads were ready without a CPU, which waited longest, and what share it
 * was of the time that they wanted to run. Nothing where the capture did not measure it. */
void ready_fact(const struct view_input *, struct doc_block *);
/* Adds ", nice 19, behind hog 4712": what kept a thread of that priority from running for most of
 * the time, as far as it is known. */
void ready_why(const struct profile *, uint32_t thread, int64_t nice, struct str *out);

/* wait_ends.c: who ended the waits of threads, as a table; nothing where the profile does not know.
 * @selected: by thread; NULL: all. */
void wait_ends_write(const struct view_input *, const bool *selected, struct doc *);

/* remedy_facts.c: what the user can do about what the profile lacks: names of generated code, debug
 * information, whole stacks, waits of goroutines. With @first only if so much lacks a name that
 * this belongs to the first that is read, without it only if not. */
void remedy_facts(const struct view_input *, struct doc_block *, bool first);

struct process;

/* commands: the column of command lines that several tables have. @process may be NULL: it is
 * unknown. */
extern const struct doc_column commands_column;
void commands_cell(const struct view_input *, struct doc_table *, const struct process *);

/* The first word of a thread's command line in which it differs from all others of that program:
 * which file a compiler compiles. Freed by the caller; NULL: there is none, or no other. */
char *command_distinct(const struct profile *, uint32_t thread);

/* calls.c: the summary's line is timeline_fact(). That no calls are left of so many; what views of
 * them say of other profiles; and how many events the capture lost, whatever is selected, as what
 * is not there is in no thread: "; 12,034 older than …", "" where none were. Freed by the caller.
 */
struct call_choice;
void calls_none(uint64_t calls, struct doc *);
char *timeline_lost(const struct profile *);
/* calls_by.c: the calls that are taken, added up as the selection says. A negative errno with a
 * text. */
int calls_by_write(const struct view_input *, struct call_choice *, struct doc *);
#define TIMELINE_MISSING \
	"No timeline in this profile: eprof --timeline --zone PATTERN captures one."

/* trend.c: how much of a measure there was in each of a few equal spans of the capture, for curves
 * over time. */
#define TREND_SPANS 60

/* Sums by span, in the measure's unit. */
struct trend {
	double at[TREND_SPANS];
	size_t n;	/* spans; 0: nothing was captured */
	double span_ns; /* the length of one */
	double samples; /* rows that were added */
	bool time;	/* what was added is ns */
	bool level;	/* not sums: the level at the end of each span, from 0 on */
};

/* Spans of the selected time: as many as leave each some samples to be seen by. */
void trend_init(struct trend *, const struct view_input *);

/*
 * Adds what the selection takes of the measure @name. A value of time, which was measured when it
 * was over, is of the time before it: a wait of 10 s that ended now began 10 s ago. -ENOENT where
 * the profile has no such measure, and errors of filter_init().
 */
int trend_add(struct trend *, const struct view_input *, const char *name);

#endif
