/*
 * merge_state: what the files of a merge share: the rows so far, in the order in which they came,
 * and the numbers of the profile at hand in them. For merge/ only.
 */
#ifndef MERGE_STATE_H
#define MERGE_STATE_H

#include "base/str.h"
#include "merge/merge.h"
#include "model/copying.h"

/* Rows known by more than 64 bits: → dense numbers, in order of arrival. */
struct merge_key {
	uint64_t k[4];
};
struct merge_keys {
	VEC(struct merge_key) at;
	struct map by_hash;
};
uint32_t merge_keys_row(struct merge_keys *, struct merge_key, bool *fresh);
void merge_keys_release(struct merge_keys *);

/* What a row of zones does not hold; by its number. */
struct merge_zone {
	zone_squares squares, self_squares; /* of the calls' times and self times */
	long double comp_calls;		    /* comp_mean_ns × timed calls, summed up */
	long double margin_calls;	    /* the same of mean_margin_ns */
	bool called, timed;		    /* by any profile so far */
};

/* One value of a cost: they are added in order of size, not of arrival. */
struct merge_cost {
	uint32_t row;
	double value;
};

struct merge {
	struct merge_choice choice;
	struct copying before;	     /* of the profile that was added last */
	struct profile *p;	     /* the rows so far; times are since their origin's start */
	VEC(uint32_t) sample_origin; /* by sample */
	VEC(uint32_t) window_origin; /* by window */
	struct map source_by_place;  /* file and line → row */
	struct merge_keys threads, ledger, cost, queues, waits, zones;
	VEC(struct merge_zone) zone_sums;
	VEC(struct merge_cost) costs;
	bool metrics_differ; /* not all profiles have the same, in the same order */
	bool any;	     /* a profile was added */
	bool overflow;	     /* a sum did not fit */
	char *clock;	     /* of the zones so far; NULL: none yet */
	char *clock_file;    /* whose it is */
	struct str left_out;
};

/* The profile that is being added. */
struct merge_next {
	struct merge *m;
	const struct profile *from;
	const char *file;
	struct copying names;
	uint64_t from_ns, to_ns; /* what is taken of its time */
	bool *thread;		 /* by thread: taken; NULL: all */
	bool chosen;		 /* there is a choice */
	/* Its numbers in the rows so far. */
	uint32_t *nodes, *threads, *metrics, *zones, *edges;
	/* By its captures: where they begin, where what is taken begins, and their origin. */
	struct merge_span {
		uint64_t start_ns, end_ns; /* on its axis */
		uint64_t low_ns, high_ns;  /* what is taken */
		uint32_t origin;	   /* UINT32_MAX: nothing */
	} * spans;
	size_t n_spans;
};

/* Adds to a sum; of any integers. */
#define MERGE_SUM(m, to, value) \
	((m)->overflow |= __builtin_add_overflow(*(to), (value), (to)), (void)0)

/* Of two texts of the rows so far the one to keep: not "", the first in order of bytes. */
uint32_t merge_text(const struct profile *, uint32_t a, uint32_t b);

void merge_add_origins(struct merge_next *);
/* Of the span that was captured at @time_ns; within it *@in_ns is the time since its origin. */
const struct merge_span *merge_span_of(const struct merge_next *, uint64_t time_ns,
				       uint64_t *in_ns);
void merge_add_windows(struct merge_next *);
int merge_add_threads(struct merge_next *);
void merge_add_metrics(struct merge_next *);
void merge_add_samples(struct merge_next *);
void merge_add_ledger(struct merge_next *);
void merge_add_cost(struct merge_next *);
void merge_settle_cost(struct merge *);
void merge_add_waits(struct merge_next *);
void merge_add_source(struct merge_next *);
void merge_add_attrs(struct merge_next *);
/* -EINVAL for another clock. */
int merge_add_zones(struct merge_next *);
void merge_settle_zones(struct merge *);

/* The same rows in an order that is theirs alone, and times on the axis of all: see merge_order.c.
 * The caller's. */
struct profile *merge_order(struct merge *);

#endif
