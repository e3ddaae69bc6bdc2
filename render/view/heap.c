/*
 * heap: what the program's memory is for: by the function that asked for it, all that is known of
 * its blocks.
 */
#include "view/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/memory_use.h"
#include "query/filter.h"
#include "query/frame_class.h"
#include "query/spread.h"
#include "view/base.h"

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  40
#define MAIN_COLUMNS  11

/* Places of the columns in heap_value.of. */
enum {
	LIVE,
	BLOCKS,
	PEAK,
	PEAK_BLOCKS,
	TOTAL,
	ALLOCATIONS,
	LEAKED,
	LEAKED_BLOCKS,
	TEMPORARY,
	VALUES
};

static const char *const metrics[VALUES] = {
	[LIVE] = HEAP_METRIC_LIVE,
	[BLOCKS] = HEAP_METRIC_LIVE_BLOCKS,
	[PEAK] = HEAP_METRIC_PEAK,
	[PEAK_BLOCKS] = HEAP_METRIC_PEAK_BLOCKS,
	[TOTAL] = HEAP_METRIC_TOTAL,
	[ALLOCATIONS] = HEAP_METRIC_ALLOCATIONS,
	[LEAKED] = HEAP_METRIC_LEAKED,
	[LEAKED_BLOCKS] = HEAP_METRIC_LEAKED_BLOCKS,
	[TEMPORARY] = HEAP_METRIC_TEMPORARY_BLOCKS,
};

/* What one function asked for, or one line of a script. */
struct site {
	uint32_t function;
	uint32_t line; /* of a script; 0: of all of the function */
	int64_t of[VALUES];
	double margin[VALUES]; /* 0 where all blocks are samples */
};

struct sites {
	VEC(struct site) rows;
	struct map by_function;
	uint32_t *asker; /* by node; 0: not looked for yet; as asker() returns */
	struct site all;
};

/* What stands between a program and its allocator, by its name: zmalloc, PyMem_RawMalloc, palloc,
 * std::allocator, operator new. Who called it is what one wants to know. */
static bool passes_on(const char *name)
{
	return strcasestr(name, "alloc") || str_starts(name, "operator new") ||
	       strcasestr(name, "strdup");
}

static uint32_t function_at(const struct profile *p, uint32_t node)
{
	return p->frames.at[p->nodes.at[node].frame].function;
}

#define LINE_OF_SCRIPT 0x80000000u

/* The function that asked for memory; where all of the stack only passes on, its innermost. In a
 * script the line that did, a frame and LINE_OF_SCRIPT: the native functions are the
 * interpreter's. */
static uint32_t asker(const struct profile *p, uint32_t node)
{
	uint32_t at = profile_script_node(p, node);

	if (at)
		return p->nodes.at[at].frame | LINE_OF_SCRIPT;
	at = node;
	while (at && passes_on(profile_text(p, p->functions.at[function_at(p, at)].name)))
		at = p->nodes.at[at].parent;
	if (!at || p->functions.at[function_at(p, at)].kind == KIND_MARK)
		at = node;
	return function_at(p, at);
}

/* The row of samples at @node. */
static struct site *site_of(struct sites *s, const struct profile *p, uint32_t node)
{
	const uint32_t by = s->asker[node] = s->asker[node] ?: asker(p, node);
	const struct frame *frame =
		by & LINE_OF_SCRIPT ? &p->frames.at[by & ~LINE_OF_SCRIPT] : NULL;
	const struct site site = {.function = frame ? frame->function : by,
				  .line = frame ? frame->line : 0};
	const uint32_t at =
		map_number(&s->by_function, (uint64_t)site.line << 32 | site.function, s->rows.n);

	if (at == s->rows.n)
		vec_push(&s->rows, site);
	return &s->rows.at[at];
}

static int by_need(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return order_down(x->of[LIVE], y->of[LIVE]) ?: order_down(x->of[PEAK], y->of[PEAK]) ?:
	       order_down(x->of[TOTAL], y->of[TOTAL]) ?: order_up(x->function, y->function) ?: order_up(x->line, y->line);
}

/* @row_of: per sample its row; as many as there are rows: none. */
static void add_margins(struct sites *s, const struct filter *f, const uint32_t *row_of, size_t v)
{
	_free_ double *margin = spread_of_rows(f, NULL, row_of, s->rows.n + 1);
	double variance = 0;

	for (size_t i = 0; i < s->rows.n; i++) {
		s->rows.at[i].margin[v] = margin[i];
		variance += margin[i] * margin[i];
	}
	s->all.margin[v] = sqrt(variance);
}

/* False: the selection takes nothing, or an older file lacks a metric. */
static bool sum(const struct view_input *in, struct sites *out)
{
	const struct profile *p = in->profile;
	_free_ uint32_t *row_of = NULL;
	struct measure m[VALUES];
	struct filter f;

	for (size_t v = 0; v < VALUES; v++)
		if (!measure_has(p, metrics[v], &m[v]))
			return false;
	if (filter_init(&f, p, in->selection)) {
		filter_release(&f);
		return false;
	}
	out->asker = mem_zalloc(p->nodes.n, sizeof(*out->asker));
	row_of = mem_zalloc(p->samples.n + 1, sizeof(*row_of));
	for (size_t i = 0; i < p->samples.n; i++) {
		struct site *s;

		row_of[i] = UINT32_MAX;
		if (!filter_takes(&f, i))
			continue;
		s = site_of(out, p, p->samples.at[i].node);
		row_of[i] = (uint32_t)(s - out->rows.at);
		for (size_t v = 0; v < VALUES; v++) {
			const int64_t value = measure_value(p, &m[v], i);

			s->of[v] += value;
			out->all.of[v] += value;
		}
	}
	for (size_t i = 0; i < p->samples.n; i++)
		row_of[i] = row_of[i] < out->rows.n ? row_of[i] : (uint32_t)out->rows.n;
	for (size_t v = 0; v < VALUES; v++) {
		f.measure = m[v];
		if (!measure_is_exact(p, &m[v]))
			add_margins(out, &f, row_of, v);
	}
	filter_release(&f);
	vec_sort(&out->rows, by_need);
	return true;
}

static void release(struct sites *s)
{
	vec_release(&s->rows);
	map_release(&s->by_function);
	free(s->asker);
}

/* "1.20 MiB", with " ±140 KiB" if the margin is large. */
static char *estimate(const struct site *s, size_t v)
{
	if (!base_shows_margin(s->of[v], s->margin[v]))
		return mem_strdup(bytes_text((double)s->of[v]));
	return mem_printf("%s ±%s", bytes_text((double)s->of[v]), bytes_text(s->margin[v]));
}

static void bytes_cell(struct doc_table *t, const struct site *s, size_t v)
{
	_free_ char *text = estimate(s, v);

	doc_cell(t, (double)s->of[v], "%s", s->of[v] ? text : "–");
}

static void margin_cell(struct doc_table *t, const struct site *s, size_t v)
{
	doc_cell(t, round(s->margin[v]), "%s", s->margin[v] > 0 ? bytes_text(s->margin[v]) : "–");
}

static double mean(const int64_t *of)
{
	return of[ALLOCATIONS] ? (double)of[TOTAL] / (double)of[ALLOCATIONS] : 0;
}

static void row(const struct view_input *in, struct doc_table *t, const struct site *s,
		const struct site *whole)
{
	const int64_t *all = whole->of;
	const struct function *f = &in->profile->functions.at[s->function];
	const int first = all[LIVE] ? LIVE : PEAK;

	doc_cell(t, all[first] ? 100.0 * (double)s->of[first] / (double)all[first] : 0, "%s",
		 percent_text((double)s->of[first], (double)all[first]));
	bytes_cell(t, s, LIVE);
	base_count_cell(t, s->of[BLOCKS]);
	bytes_cell(t, s, PEAK);
	bytes_cell(t, s, LEAKED);
	bytes_cell(t, s, TOTAL);
	base_count_cell(t, s->of[ALLOCATIONS]);
	doc_cell(t, mean(s->of), "%s", s->of[ALLOCATIONS] ? bytes_text(mean(s->of)) : "–");
	doc_cell(t, (double)s->of[TEMPORARY], "%s",
		 s->of[TEMPORARY]
			 ? percent_text((double)s->of[TEMPORARY], (double)s->of[ALLOCATIONS])
			 : "–");
	doc_cell_code(t, frame_class_of(f), profile_text(in->profile, f->name));
	if (s->line)
		doc_cell(t, 0, "%s:%u", str_base(profile_text(in->profile, f->file)), s->line);
	else
		doc_cell(t, 0, "%s", profile_module_name(in->profile, f->module));
	base_count_cell(t, s->of[PEAK_BLOCKS]);
	base_count_cell(t, s->of[LEAKED_BLOCKS]);
	margin_cell(t, s, LIVE);
	margin_cell(t, s, PEAK);
	margin_cell(t, s, LEAKED);
	margin_cell(t, s, TOTAL);
}

/* --- histograms ------------------------------------------------------------------------------- */

static void bound_cell(struct doc_table *t, enum heap_histogram h, unsigned bin)
{
	const double at = bin ? ldexp(1, (int)bin) : 0;

	if (h == HEAP_SIZES)
		doc_cell(t, at, "%s", bytes_text(at));
	else
		base_time_cell(t, at);
}

static void bin_row(struct doc_table *t, const struct heap_bin *b, double blocks, double bytes)
{
	const double percent = 100 * (double)b->blocks / blocks;

	bound_cell(t, b->histogram, b->bin);
	bound_cell(t, b->histogram, b->bin + 1);
	base_count_cell(t, b->blocks);
	doc_cell(t, percent, "%s", percent_text((double)b->blocks, blocks));
	doc_bar(t, percent);
	doc_cell(t, (double)b->bytes, "%s", bytes_text((double)b->bytes));
	doc_cell(t, 100 * (double)b->bytes / bytes, "%s", percent_text((double)b->bytes, bytes));
}

/* Of the whole capture: the kernel adds them up without stacks. */
static void write_histogram(const struct profile *p, enum heap_histogram h, struct doc *doc)
{
	static const struct doc_column sizes[] = {
		{"From", "from_bytes", CELL_NUMBER, "size that was asked for"},
		{"To", "to_bytes", CELL_NUMBER, "less than this"},
		{"Blocks", "blocks", CELL_NUMBER, "allocated"},
		{"Share", "share_percent", CELL_PERCENT, "of the blocks"},
		DOC_BAR_COLUMN,
		{"Bytes", "bytes", CELL_NUMBER, NULL},
		{"Share", "bytes_percent", CELL_PERCENT, "of the bytes"},
	};
	static const struct doc_column lifetimes[] = {
		{"From", "from_ns", CELL_NUMBER, "time from its allocation until it was freed"},
		{"To", "to_ns", CELL_NUMBER, "less than this"},
		{"Blocks", "blocks", CELL_NUMBER, "freed"},
		{"Share", "share_percent", CELL_PERCENT, "of the blocks"},
		DOC_BAR_COLUMN,
		{"Bytes", "bytes", CELL_NUMBER, NULL},
		{"Share", "bytes_percent", CELL_PERCENT, "of the bytes"},
	};
	double blocks = 0, bytes = 0;
	struct doc_table *t;

	vec_each (b, &p->heap_bins) {
		blocks += b->histogram == h ? (double)b->blocks : 0;
		bytes += b->histogram == h ? (double)b->bytes : 0;
	}
	if (blocks <= 0)
		return;
	t = h == HEAP_SIZES ? doc_table_of(doc, "allocated, by size", sizes)
			    : doc_table_of(doc, "freed, by lifetime", lifetimes);
	for (uint8_t bin = 0; bin < HEAP_BINS; bin++)
		vec_each (b, &p->heap_bins)
			if (b->histogram == h && b->bin == bin)
				bin_row(t, b, blocks, fmax(bytes, 1));
}

static int heap_write(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT,
		 "of what is live at the end; if that is nothing, at the peak"},
		{"Live", "live_bytes", CELL_NUMBER, "at the end of the capture"},
		{"Blocks", "live_blocks", CELL_NUMBER, "live at the end"},
		{"Peak", "peak_bytes", CELL_NUMBER, "live when all together were highest"},
		{"Leaked", "leaked_bytes", CELL_NUMBER,
		 "never freed: live when their program ended, or at the end and older than the "
		 "capture's last tenth"},
		{"Total", "total_bytes", CELL_NUMBER, "allocated"},
		{"Allocs", "allocations", CELL_NUMBER, NULL},
		{"Mean", "mean_bytes", CELL_NUMBER, "size of an allocation"},
		{"Temp", "temporary", CELL_NUMBER,
		 "allocations freed by the next call of the same thread"},
		{"Function", "function", CELL_TEXT, "that asked for the memory"},
		{"Module", "module", CELL_TEXT, NULL},
		{"Peak blocks", "peak_blocks", CELL_NUMBER, NULL},
		{"Leaked blocks", "leaked_blocks", CELL_NUMBER, NULL},
		{"Live ±", "live_margin", CELL_NUMBER, BASE_MARGIN_HELP},
		{"Peak ±", "peak_margin", CELL_NUMBER, BASE_MARGIN_HELP},
		{"Leaked ±", "leaked_margin", CELL_NUMBER, BASE_MARGIN_HELP},
		{"Total ±", "total_margin", CELL_NUMBER, BASE_MARGIN_HELP},
	};
	_free_ char *before = memory_before_text(in);
	struct sites s = {0};
	bool margins = false;
	struct doc_table *t;

	doc_heading(doc, "Heap");
	if (!sum(in, &s) || !s.rows.n)
		doc_text(doc, "No allocations.");
	t = doc_table_of(doc, "by the function, or the line of a script, that asked for the memory",
			 columns);
	t->extra_from = MAIN_COLUMNS;
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "functions that allocated");
	doc_spare(t, MAIN_COLUMNS - 1);
	for (size_t i = 0; i < s.rows.n; i++)
		row(in, t, &s.rows.at[i], &s.all);
	for (size_t i = 0; i < s.rows.n * VALUES; i++)
		margins |= base_shows_margin(s.rows.at[i / VALUES].of[i % VALUES],
					     s.rows.at[i / VALUES].margin[i % VALUES]);
	base_margin_note(doc, margins);
	if (before)
		doc_text(doc, "Before: %s.", before);
	release(&s);
	return 0;
}

/* Which allocations were followed when, where that changed (user/heap/heap_follow.c). */
static void followed_fact(const struct profile *p, struct doc_block *b)
{
	static const char begins[] = HEAP_NOTE;
	struct str text = {0};
	bool ended = false;

	vec_each (r, &p->ledger) {
		const char *name = profile_text(p, r->name);

		if (!str_starts(name, begins))
			continue;
		str_addf(&text, "%s%s", text.n ? "; " : "", name + strlen(begins));
		ended |= strstr(name, HEAP_NOTE_NONE) != NULL;
	}
	if (text.n)
		doc_fact(b, ended, "Followed", "%s", str_text(&text));
	str_release(&text);
}

void heap_fact(const struct view_input *in, struct doc_block *b)
{
	struct sites s = {0};
	const struct site *all = &s.all;

	if (profile_has(in->profile, PART_HEAP) && sum(in, &s) && all->of[ALLOCATIONS]) {
		_free_ char *live = estimate(all, LIVE), *peak = estimate(all, PEAK),
			    *leaked = estimate(all, LEAKED), *total = estimate(all, TOTAL);

		doc_fact(b, false, "Heap",
			 "%s live, %s at the peak, %s leaked; %s in %s allocations, %s of them "
			 "freed by the next call",
			 live, peak, leaked, total, count_text(all->of[ALLOCATIONS]),
			 percent_text((double)all->of[TEMPORARY], (double)all->of[ALLOCATIONS]));
	}
	release(&s);
	followed_fact(in->profile, b);
}

const struct view heap_view = {
	.name = "heap",
	.about = "who asked for memory: live, peak, leaked, total, temporary",
	.part = PART_HEAP,
	.missing = "No allocations in this profile: eprof --heap captures them.",
	.shows = {IN_REPORTS},
	.write = heap_write,
};

static int blocks_write(const struct view_input *in, struct doc *doc)
{
	if (!in->profile->heap_bins.n) {
		doc_text(doc, "No sizes of blocks in this profile: eprof --heap captures them.");
		return 0;
	}
	doc_heading(doc, "Blocks of memory");
	for (enum heap_histogram h = HEAP_SIZES; h < HEAP_HISTOGRAMS; h++)
		write_histogram(in->profile, h, doc);
	return 0;
}

const struct view blocks_view = {
	.name = "blocks",
	.about = "how large allocated blocks were, and how long they lived",
	.part = PART_HEAP,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = blocks_write,
};
