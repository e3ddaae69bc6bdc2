/*
 * base: what the percentages of a view are of, in words. For the views only.
 */
#ifndef VIEW_BASE_H
#define VIEW_BASE_H

#include <stddef.h>

#include "base/units.h"
#include "model/profile.h"
#include "model/taken.h"
#include "view/view.h"

/* "10.0 s of time on CPU, 1,000 samples of cpu-clock"; "1,204 page-faults, 97 samples". Freed by
 * the caller. */
char *base_text(const struct view_input *);

/* "100 % = …", the caption of a table of shares. Freed by the caller. */
char *base_caption(const struct view_input *);

/* @part as 0 … 100 of the tree's total; 0 where that is 0. */
double base_percent(const struct view_input *, int64_t part);

/* The cells "12.3 %" with a value that sorts, and the amount in the metric's unit. */
void base_percent_cell(struct doc_table *, const struct view_input *, int64_t part);
void base_value_cell(struct doc_table *, const struct view_input *, int64_t value);
void base_count_cell(struct doc_table *, int64_t count);
/* "-1.20 MiB", valid until the next call; and a cell of that, "-" for 0. */
const char *base_signed_bytes(int64_t bytes);
void base_bytes_cell(struct doc_table *, int64_t bytes);
void base_time_cell(struct doc_table *, double ns);
/* The amount with its margin (query/spread.h), where that is more than a tenth of it: "1.20 s ±310
 * ms"; and a column of margins, which machines read. */
void base_estimate_cell(struct doc_table *, const struct view_input *, int64_t value,
			double margin);
void base_margin_cell(struct doc_table *, const struct view_input *, double margin);
/* The four cells of an amount: its share in words and as a bar, itself, its samples. */
void base_amount_cells(struct doc_table *, const struct view_input *, int64_t value, double margin,
		       int64_t samples);

/* An amount in any unit; and what makes a table a chart, whose columns are a name, a value, its low
 * and its high end in @unit, and what to write beside the bar. */
void base_unit_cell(struct doc_table *, double value, const char *unit);
void base_chart(struct doc_table *, const char *unit);
/* The sixth column of a chart with a comparison, of a row whose value is @value: what that
 * was in the base, by the change of what was @compared (of both sides; NULL: it was not). */
#define BASE_CHART_BASELINE                                                                       \
	{                                                                                         \
		"baseline", "baseline", CELL_NUMBER, "the value before, by the change since then" \
	}
void base_baseline_cell(struct doc_table *, double value, const double *compared, const char *unit);

/* What the columns of amounts are headed with: "Time" for ns, else "Value". */
const char *base_value_title(const struct view_input *);

/* And what machines call those columns. */
const char *base_value_key(const struct view_input *);
const char *base_margin_key(const struct view_input *);
/* Of a column of margins. */
#define BASE_MARGIN_HELP \
	"95 % sampling error: how far off the amount may be because it is estimated from samples"
/* A line under a table in which amounts show a margin: what ± means; @any: whether one does. */
void base_margin_note(struct doc *, bool any);
/* Whether an amount shows its margin. */
bool base_shows_margin(int64_t value, double margin);

/* Whether the samples are of an event that counts time on a CPU. */
bool base_is_cpu_time(const struct view_input *);

/* What the selected threads did together, exactly; of the whole capture, whatever --from and --to
 * leave. *@longest (or NULL): which of them was ready without a CPU for longest; NULL: there is
 * none. */
struct thread_wait base_waits(const struct view_input *, const struct thread_wait **longest);
/* The amount in functions without a name; *@jit: in those of them that are JIT code. */
int64_t base_unnamed(const struct view_input *, int64_t *jit);

/* Why there is next to nothing to see, where the target hardly ran: "…, of 10.0 s; the target slept
 * or waited for the rest: --off-cpu captures where". Freed by the caller; NULL where it is
 * not so. */
char *base_idle_text(const struct view_input *);

/* A profile without a metric, which is of zones, whether there are any or not. */
bool base_is_zones_only(const struct view_input *);

/* The hottest paths, @most at most and none of less than half a percent, under a heading. */
void paths_add(const struct view_input *, struct doc *, const char *heading, size_t most);

/* Such a profile has nothing for a view of samples, which then says so and no more. */
bool base_says_no_samples(const struct view_input *, struct doc *);

/* The samples of the measure in the whole profile: a sample is a stack that was kept, whatever it
 * counts for. */
int64_t base_samples(const struct view_input *);

struct ledger_sums {
	int64_t taken, kept, lost;
	int64_t notes;
	size_t rows; /* of this metric, notes included */
};

struct ledger_sums ledger_sum(const struct profile *, uint32_t metric);
/* Of all metrics of the measure together. */
struct ledger_sums base_ledger(const struct view_input *);

/* The rows of one class of @metric that are not 0, largest first: "12 ring full; 7 stack
 * unreadable". Freed by the caller. */
/* What the measure is of, as a title: "Samples"; "Allocations", of which samples sum up many. Freed
 * by the caller. */
char *base_events_title(const struct view_input *);
char *ledger_reasons(const struct profile *, uint32_t metric, enum ledger_class);

/* The slowdown of the target. */
struct slowdown_shown {
	char text[SLOWDOWN_TEXT];				  /* "3.2 % (2.1 to 4.9 %)" */
	char short_text[UNITS_BUF + 16], interval[SLOWDOWN_TEXT]; /* "3.2 %", "2.1 to 4.9 %" */
	const char *of; /* "interrupts and BPF programs" */
	const char *by; /* of older versions " by samples", else "" */
	double percent;
};
/* False: unknown. */
bool base_slowdown(const struct profile *, struct slowdown_shown *);
/* A cost row's value in its unit: "2.41 ms", "23.0 MiB", "0.42 %", "12,345 events". */
char *ledger_cost_text(char *buf, size_t size, const struct profile *, const struct cost_row *);

#endif
