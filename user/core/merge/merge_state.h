/*
 * merge_state: what the files of a merge share: the rows so far, in the order in which they came,
 * and the profile that is being added. For merge/ only.
 */
#ifndef MERGE_STATE_H
#define MERGE_STATE_H

#include "base/str.h"
#include "merge/merge.h"
#include "model/rows.h"

typedef VEC(uint32_t) merge_numbers;

struct merge {
	struct merge_choice choice;
	struct rows before;	      /* took the profile that was added last */
	struct profile *p;	      /* the rows so far; times are since their origin's start */
	merge_numbers origin[TABLES]; /* of each row, in tables of rows in time */
	struct map builds;	      /* path of a module → its one build-id, or BUILDS_SEVERAL */
	bool metrics_differ;	      /* not all profiles have the same, in the same order */
	bool any;		      /* a profile was added */
	bool overflow;		      /* a sum did not fit */
	char *clock;		      /* of the zones so far; NULL: none yet */
	char *clock_file;	      /* the first file with zones */
	struct str left_out;
};
#define BUILDS_SEVERAL UINT32_MAX

/* The profile that is being added. */
struct merge_next {
	struct merge *m;
	const struct profile *from;
	const char *file;
	struct rows rows;
	uint64_t from_ns, to_ns; /* what is taken of its time */
	bool chosen;		 /* there is a choice */
	bool *threads;		 /* by thread: taken; NULL: all */
	bool *takes[TABLES];	 /* with a choice: of rows in time and of sums that last */
	/* Its captures: */
	struct merge_span {
		uint64_t start_ns, end_ns; /* on the profile's time axis */
		uint64_t low_ns, high_ns;  /* what is taken of it */
		uint32_t origin;	   /* UINT32_MAX: nothing */
	} * spans;
	size_t n_spans;
};

void merge_add_origins(struct merge_next *);
/* The span that was captured at @time_ns, NULL if that is not taken; *@in_ns is the time since the
 * start of what is taken of it. */
const struct merge_span *merge_span_of(const struct merge_next *, uint64_t time_ns,
				       uint64_t *in_ns);
void merge_add_windows(struct merge_next *);

/* Chooses which threads, rows in time and sums are taken; -EINVAL if the key is no pattern. */
int merge_choose(struct merge_next *);
/* Adds the ledger's rows of samples, less the samples that were left out. */
void merge_cut_ledger(struct merge_next *);

/* Of metrics of a peak, leaves the values of the capture that had the highest: merge_peak.c. */
void merge_keep_highest_peak(struct merge *);

/* A profile, the caller's, of the merged rows in their final order, with times on the time axis of
 * the merge: merge_order.c. */
struct profile *merge_order(struct merge *);

#endif
