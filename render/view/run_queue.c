/*
 * run_queue: how long threads waited for a CPU when they were ready to run: for each CPU in
 * numbers, and for all of them by length.
 */
#include <stdio.h>

#include "view/base.h"

#include "model/hist.h"
#include "model/waits.h"

typedef VEC(struct hist_bin) bins;

/* The rows of one CPU, from *@at on, which is the next one's first afterwards. */
static bins take_cpu(const struct profile *p, size_t *at)
{
	const uint32_t cpu = p->run_queues.at[*at].cpu;
	bins out = {0};

	for (; *at < p->run_queues.n && p->run_queues.at[*at].cpu == cpu; (*at)++) {
		const struct run_queue *q = &p->run_queues.at[*at];

		vec_push(&out, ((struct hist_bin){q->low_ns, q->high_ns, (uint64_t)q->waits}));
	}
	return out;
}

static int by_low(const void *a, const void *b)
{
	const struct hist_bin *x = a, *y = b;

	return order_up(x->low_ns, y->low_ns);
}

/* All CPUs', equal bins as one. */
static bins take_all(const struct profile *p)
{
	bins all = {0};
	size_t n = 0;

	for (size_t at = 0; at < p->run_queues.n;) {
		bins one = take_cpu(p, &at);

		for (size_t i = 0; i < one.n; i++)
			vec_push(&all, one.at[i]);
		vec_release(&one);
	}
	vec_sort(&all, by_low);
	for (size_t i = 0; i < all.n; i++) {
		if (n && all.at[n - 1].low_ns == all.at[i].low_ns)
			all.at[n - 1].count += all.at[i].count;
		else
			all.at[n++] = all.at[i];
	}
	all.n = n;
	return all;
}

static uint64_t waits_in(const bins *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->at[i].count;
	return n;
}

static void cpu_row(struct doc_table *t, const char *name, const bins *b)
{
	static const double quantiles[] = {0.5, 0.9, 0.99, 0.999};

	doc_cell(t, 0, "%s", name);
	base_count_cell(t, (int64_t)waits_in(b));
	for (size_t q = 0; q < sizeof(quantiles) / sizeof(*quantiles); q++)
		base_time_cell(t, (double)hist_quantile(b->at, b->n, quantiles[q]));
	base_time_cell(t, (double)b->at[b->n - 1].high_ns);
}

static void write_cpus(const struct profile *p, const bins *all, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"CPU", "cpu", CELL_TEXT, "the CPU that they got"},
		{"Waits", "waits", CELL_NUMBER, "times that a thread got it, having waited or not"},
		{"50 %", "p50_ns", CELL_NUMBER, "of the waits were as long or shorter"},
		{"90 %", "p90_ns", CELL_NUMBER, "the same"},
		{"99 %", "p99_ns", CELL_NUMBER, "the same"},
		{"99.9 %", "p999_ns", CELL_NUMBER, "the same"},
		{"Maximum", "below_ns", CELL_NUMBER, "upper bound: no wait was longer"},
	};
	struct doc_table *t = doc_table_of(doc, "from ready to running, all waits", columns);

	cpu_row(t, "all", all);
	for (size_t at = 0; at < p->run_queues.n;) {
		char name[UNITS_BUF];
		bins one;

		snprintf(name, sizeof(name), "%u", p->run_queues.at[at].cpu);
		one = take_cpu(p, &at);
		cpu_row(t, name, &one);
		vec_release(&one);
	}
}

/* Of the bins from *@at on what lies below the next power of two; the first of all can be wider:
 * who did not wait is in a bin of 8 ns. */
static struct hist_bin take_octave(const bins *b, size_t *at)
{
	struct hist_bin octave = {.high_ns = 1};

	while (octave.high_ns <= b->at[*at].low_ns && octave.high_ns <= INT64_MAX / 2)
		octave.high_ns *= 2;
	if (octave.high_ns <= b->at[*at].low_ns)
		octave.high_ns = INT64_MAX;
	octave.low_ns = octave.high_ns / 2;
	if (octave.high_ns < b->at[*at].high_ns)
		octave.high_ns = b->at[*at].high_ns;
	do
		octave.count += b->at[(*at)++].count;
	while (*at < b->n && b->at[*at].low_ns < octave.high_ns);
	return octave;
}

static void write_lengths(const bins *all, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"From", "from_ns", CELL_NUMBER, NULL},
		{"To", "to_ns", CELL_NUMBER, "less than this"},
		{"Waits", "waits", CELL_NUMBER, NULL},
		{"Share", "share_percent", CELL_PERCENT, "of all waits"},
		DOC_BAR_COLUMN,
	};
	const uint64_t waits = waits_in(all);
	struct doc_table *t = doc_table_of(doc, "the same by length, on all CPUs", columns);

	for (size_t at = 0; at < all->n;) {
		const struct hist_bin o = take_octave(all, &at);
		const double percent = waits ? 100.0 * (double)o.count / (double)waits : 0;

		base_time_cell(t, (double)o.low_ns);
		base_time_cell(t, (double)o.high_ns);
		base_count_cell(t, (int64_t)o.count);
		doc_cell(t, percent, "%s", percent_text((double)o.count, (double)waits));
		doc_bar(t, percent);
	}
}

static const char *why_none(const struct profile *p)
{
	return profile_has(p, PART_OFFCPU)
		       ? "No thread waited for a CPU, or the kernel does not say how long."
		       : "Nothing is known of waits for a CPU: eprof --off-cpu captures them.";
}

static int run_queue_write(const struct view_input *in, struct doc *doc)
{
	bins all;

	if (!in->profile->run_queues.n) {
		doc_text(doc, "%s", why_none(in->profile));
		return 0;
	}
	all = take_all(in->profile);
	doc_heading(doc, "Waiting for a CPU");
	write_cpus(in->profile, &all, doc);
	write_lengths(&all, doc);
	vec_release(&all);
	return 0;
}

const struct view run_queue_view = {
	.name = "run-queue",
	.about = "how long threads that were ready to run waited for a CPU, by CPU (--off-cpu)",
	.part = PART_OFFCPU,
	.shows = {IN_REPORTS},
	.write = run_queue_write,
};
