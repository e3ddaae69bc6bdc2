#include "heap/heap_profile.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/memory_use.h"
#include "model/meta.h"

static const struct value {
	const char *name, *unit, *base;
	enum metric_kind kind;
	enum metric_course course;
} values[HEAP_VALUES] = {
	[HEAP_LIVE] = {HEAP_METRIC_LIVE, "bytes", "memory live at the end", METRIC_SUM,
		       COURSE_LEVEL},
	[HEAP_LIVE_BLOCKS] = {HEAP_METRIC_LIVE_BLOCKS, "blocks", "blocks live at the end",
			      METRIC_COUNT, COURSE_LEVEL},
	[HEAP_PEAK] = {HEAP_METRIC_PEAK, "bytes", "memory live at the peak", METRIC_SUM,
		       COURSE_PEAK},
	[HEAP_PEAK_BLOCKS] = {HEAP_METRIC_PEAK_BLOCKS, "blocks", "blocks live at the peak",
			      METRIC_COUNT, COURSE_PEAK},
	[HEAP_TOTAL] = {HEAP_METRIC_TOTAL, "bytes", "memory allocated", METRIC_SUM, COURSE_AMOUNT},
	[HEAP_TOTAL_BLOCKS] = {HEAP_METRIC_ALLOCATIONS, "blocks", "allocations", METRIC_COUNT,
			       COURSE_AMOUNT},
	[HEAP_LEAKED] = {HEAP_METRIC_LEAKED, "bytes", "memory leaked", METRIC_SUM, COURSE_NONE},
	[HEAP_LEAKED_BLOCKS] = {HEAP_METRIC_LEAKED_BLOCKS, "blocks", "blocks leaked", METRIC_COUNT,
				COURSE_NONE},
	[HEAP_TEMPORARY] = {HEAP_METRIC_TEMPORARY, "bytes", "memory freed by the next call",
			    METRIC_SUM, COURSE_AMOUNT},
	[HEAP_TEMPORARY_BLOCKS] = {HEAP_METRIC_TEMPORARY_BLOCKS, "blocks",
				   "blocks freed by the next call", METRIC_COUNT, COURSE_AMOUNT},
};

/* The metric of the variances of @of. */
static uint32_t add_variance(struct profile *p, uint32_t of, const struct value *value)
{
	_free_ char *name = mem_printf("%s-variance", value->name),
		    *unit = mem_printf("%s^2", value->unit);
	const uint32_t metric = profile_metric(p, name, unit, METRIC_VARIANCE);

	p->metrics.at[metric].course = value->course == COURSE_PEAK ? COURSE_PEAK : COURSE_NONE;
	p->metrics.at[metric].ledger = p->metrics.at[of].ledger ?: p->metrics.at[of].name;
	p->metrics.at[of].variance = p->metrics.at[metric].name;
	return metric;
}

void heap_metrics(struct profile *p, bool variances, bool sampled, uint32_t metric[HEAP_COLUMNS])
{
	for (size_t v = 0; v < HEAP_VALUES; v++) {
		struct metric *m;

		metric[v] = profile_metric(p, values[v].name, values[v].unit, values[v].kind);
		m = &p->metrics.at[metric[v]];
		m->base = intern_add(&p->strings, values[v].base);
		m->exact = !sampled;
		m->course = (uint8_t)values[v].course;
		if (v != HEAP_TOTAL_BLOCKS)
			m->ledger = intern_add(&p->strings, values[HEAP_TOTAL_BLOCKS].name);
	}
	for (size_t v = 0; v < HEAP_VALUES && variances; v++)
		metric[HEAP_VALUES + v] = add_variance(p, metric[v], &values[v]);
}

static void note_stacks(const struct heapbook *b, uint32_t metric, struct profile *p)
{
	const struct heap_tally all = heapbook_tally(b);

	for (uint8_t e = 0; e < WIRE_ENDS; e++)
		if (all.ends[e] && assembly_end_note(e))
			profile_ledger(p, metric, LEDGER_NOTE, assembly_end_note(e), all.ends[e]);
	if (all.guessed)
		profile_ledger(p, metric, LEDGER_NOTE,
			       "some frames guessed: code without unwind rules", all.guessed);
}

void heap_samples(const struct heapbook *b, const uint32_t metric[HEAP_COLUMNS], struct assembly *a)
{
	const bool variances = a->p->metrics.at[metric[HEAP_LIVE]].variance;
	_free_ int64_t *by = mem_zalloc(a->p->metrics.n, sizeof(*by));

	profile_add_part(a->p, PART_HEAP);
	vec_each (c, &b->changes) {
		const struct heap_origin *of = &b->rows.at[c->row].of;
		const uint32_t node = of->user == NO_STACK ? assembly_mark(a, 0, "[no stack]")
							   : assembly_node(a, of->user, NO_STACK);

		for (size_t v = 0; v < (variances ? HEAP_COLUMNS : HEAP_VALUES); v++)
			by[metric[v]] = c->by[v];
		profile_sample(a->p, assembly_time(a, c->time_ns), assembly_thread(a, of->thread),
			       node, by);
	}
	note_stacks(b, metric[HEAP_TOTAL_BLOCKS], a->p);
}

int64_t heap_counted(struct session *session, enum wire_alloc_counter counter)
{
	return (int64_t)session_map_value(session, "probe_alloc_counts", counter);
}

void heap_opens(struct profile *p, const struct heapbook *b)
{
	static const enum heap_value order[] = {HEAP_LIVE, HEAP_PEAK, HEAP_TOTAL};
	int64_t sum[HEAP_COLUMNS] = {0};

	vec_each (c, &b->changes)
		for (size_t v = 0; v < HEAP_VALUES; v++)
			sum[v] += c->by[v];
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (sum[order[i]] > 0) {
			profile_set_run(p, RUN_METRIC, values[order[i]].name);
			return;
		}
}

static int64_t in_bin(struct session *session, uint32_t key)
{
	return (int64_t)session_map_value(session, "probe_alloc_bins", key);
}

void heap_histograms(struct profile *p, struct session *session)
{
	_Static_assert((int)HEAP_SIZES == (int)WIRE_ALLOC_SIZES &&
			       (int)HEAP_LIFETIMES == (int)WIRE_ALLOC_LIFETIMES &&
			       HEAP_BINS == WIRE_ALLOC_BINS,
		       "a profile's histograms are those of the programs");

	for (uint8_t h = 0; h < HEAP_HISTOGRAMS; h++)
		for (uint8_t bin = 0; bin < HEAP_BINS; bin++) {
			const uint32_t key = WIRE_ALLOC_BIN(h, bin);
			const struct heap_bin row = {
				.histogram = h,
				.bin = bin,
				.blocks = (in_bin(session, key) + WIRE_ALLOC_ONE / 2) /
					  WIRE_ALLOC_ONE,
				.bytes = in_bin(session, key + 1)};

			if (row.blocks)
				vec_push(&p->heap_bins, row);
		}
}

static const struct {
	enum wire_alloc_counter counter;
	enum ledger_class class;
	const char *text;
} ledger[] = {
	{WIRE_ALLOC_UNSEEN, LEDGER_LOST, "end of the call not seen"},
	{WIRE_ALLOC_NO_STATE, LEDGER_LOST, "no memory for a thread's state"},
	{WIRE_ALLOC_NO_STACK, LEDGER_NOTE, "under [no stack]: it could not be read or sent"},
	{WIRE_ALLOC_ROWS_FULL, LEDGER_NOTE, "under [no stack]: too many stacks"},
	{WIRE_ALLOC_NO_ROOM, LEDGER_NOTE, "not in live and peak: too many blocks are live"},
	{WIRE_ALLOC_ENDLESS, LEDGER_NOTE,
	 "of Go: in allocations and total alone, as nothing tells when they end"},
	{WIRE_ALLOC_REUSED, LEDGER_NOTE, "freed in a way that was not seen"},
	{WIRE_ALLOC_FAILED, LEDGER_APART, "failed: the allocator had no memory"},
	{WIRE_ALLOC_BEFORE, LEDGER_APART,
	 "frees of blocks from before the capture, or by the allocator itself"},
	{WIRE_ALLOC_INHERITED, LEDGER_APART, "blocks of a parent freed in its child"},
};

void heap_ledger(struct profile *p, uint32_t metric, struct session *session)
{
	const int64_t kept = heap_counted(session, WIRE_ALLOC_HANDED_OUT);
	const int64_t declined = heap_counted(session, WIRE_ALLOC_DECLINED);
	int64_t lost = 0;

	for (size_t i = 0; i < sizeof(ledger) / sizeof(*ledger); i++) {
		const int64_t n = heap_counted(session, ledger[i].counter);

		lost += ledger[i].class == LEDGER_LOST ? n : 0;
		if (n)
			profile_ledger(p, metric, ledger[i].class, ledger[i].text, n);
	}
	profile_ledger(p, metric, LEDGER_TAKEN, "taken", kept + lost);
	profile_ledger(p, metric, LEDGER_KEPT, "kept", kept);
	if (declined)
		profile_ledger(p, metric, LEDGER_APART, LEDGER_ALL, kept + lost + declined);
}
