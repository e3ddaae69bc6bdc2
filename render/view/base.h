/*
 * base: what the percentages of a view are of, in words. For the views only.
 */
#ifndef VIEW_BASE_H
#define VIEW_BASE_H

#include "base/units.h"
#include "view/view.h"

/* "10.0 s of time on CPU, 1,000 samples of cpu-clock"; "1,204 page-faults, 97 samples". Freed by
 * the caller. */
char *base_text(const struct view_input *);

/* @part as 0 … 100 of the tree's total; 0 where that is 0. */
double base_percent(const struct view_input *, int64_t part);

/* The cells "12.3 %" with a value that sorts, and the amount in the metric's unit. */
void base_percent_cell(struct doc_table *, const struct view_input *, int64_t part);
void base_value_cell(struct doc_table *, const struct view_input *, int64_t value);
void base_count_cell(struct doc_table *, int64_t count);

/* What the columns of amounts are headed with: "Time" for ns, else "Value". */
const char *base_value_title(const struct view_input *);

/* And what machines call those columns. */
const char *base_value_key(const struct view_input *);

/* Whether the samples are of an event that counts time on a CPU. */
bool base_is_cpu_time(const struct view_input *);

/* Why there is next to nothing to see, where the target hardly ran: "…, of 10.0 s; the target slept
 * or waited for the rest: --off-cpu captures where". Freed by the caller; NULL where it is
 * not so. */
char *base_idle_text(const struct view_input *);

/* A profile without a metric, which is of zones, whether there are any or not. */
bool base_is_zones_only(const struct view_input *);

/* Such a profile has nothing for a view of samples, which then says so and no more. */
bool base_says_no_samples(const struct view_input *, struct doc *);

#endif
