/*
 * call_chart: the calls of a timeline as boxes in lanes, at a level of detail that a picture and a
 * page can hold, however many calls there are. For documents: the view makes it, formats draw it.
 *
 * The longest calls are boxes of their own. Shorter ones are drawn as one box with their neighbours
 * of the same lane and depth, which says how many it stands for. So there are at most
 * CHART_CALLS_MOST boxes of calls, and about as many of merged ones.
 */
#ifndef TIMELINE_CALL_CHART_H
#define TIMELINE_CALL_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct profile;

#define CHART_CALLS_MOST 20000
#define CHART_LANES_MOST 200
#define CHART_DEPTH_MOST 64
#define CHART_MARKS_MOST 4000
#define CHART_OWN_MOST	 20000

struct chart_box {
	uint64_t start_ns, end_ns;
	uint32_t lane, row; /* row: from 0, within the lane */
	uint32_t n;	    /* calls; more than 1: merged */
	uint32_t frame;	    /* 0 of merged ones */
	uint32_t argument;  /* a text, or 0 */
	uint32_t flags;	    /* enum call_flags */
};

struct chart_lane {
	uint32_t thread, coroutine; /* as in struct call_lane */
	uint32_t rows;
	uint64_t calls;
	bool own; /* the profiler's own work is known: shown below the calls */
};

enum chart_mark_kind {
	MARK_THROWN, /* an exception */
	MARK_CAUGHT,
	MARK_TRIGGER,
	MARK_WAIT, /* off the CPU: from start to end */
	MARK_LOST, /* from start to end nothing was recorded, of any thread */
	MARK_KINDS
};

/* What is no call: at a moment, or from start to end. Neighbours of a kind and lane are one. */
struct chart_mark {
	uint64_t start_ns, end_ns;
	uint32_t lane; /* of MARK_LOST: none */
	uint32_t kind; /* enum chart_mark_kind */
	uint32_t text; /* of the first: reason, condition; 0: none */
	uint64_t n;    /* how many; of MARK_LOST events */
};

/* The profiler's own work (own_work.h) from start to end. Where there is none it took nothing. */
struct chart_own {
	uint64_t start_ns, end_ns;
	uint32_t lane;
	double percent; /* of the lane's thread's time */
};

struct call_chart {
	const struct profile *profile; /* borrowed */
	uint64_t from_ns, to_ns;
	uint64_t least_ns;		 /* shorter calls are merged; 0: none is */
	uint64_t calls, merged;		 /* all that are selected; those that are merged */
	uint64_t left_lanes, left_calls; /* that found no room: lanes, calls in them or too deep */
	VEC(struct chart_lane) lanes;	 /* by thread, coroutines behind its own stack */
	VEC(struct chart_box) boxes;	 /* by lane, row and start */
	VEC(struct chart_mark) marks;	 /* by lane and kind; those lost last */
	VEC(struct chart_own) own;	 /* by lane and start */
	uint64_t own_step_ns;		 /* the time that one is a mean of, at least */
};

void call_chart_release(struct call_chart *);

/* The chart's time in @n equal cells: adds to each @weight times the share of it that is from
 * @from_ns to @to_ns. */
void call_chart_add(const struct call_chart *, uint64_t from_ns, uint64_t to_ns, double weight,
		    double *cells, size_t n);

/* "6,357 calls in 5 lanes; 1,204 shorter than 12.0 µs are drawn as boxes of several": how much of
 * it is drawn. Freed by the caller. */
char *call_chart_note(const struct call_chart *);
/* "thrown exceptions", for legends. */
const char *chart_mark_name(uint32_t kind);
/* The profiler's own work beside its strip, and what the legend adds to that. */
#define CHART_OWN_NAME	"eprof's own work"
#define CHART_OWN_SCALE ", 0 to 100 % of the thread's time"

#endif
