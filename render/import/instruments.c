/*
 * instruments: what "Deep Copy" in Apple's Instruments puts on the clipboard, a call tree, with
 *tabs between columns of which there are these and others:
 *
 *	Weight	Self Weight		Symbol Name
 *	4.93 s  100.0%	0 s	 	start
 *	2.45 s   49.7%	846.00 ms	 	 delta()
 *
 * "Running Time" and "Self (ms)" in older ones, "Bytes Used" of allocations. Blanks in front of a
 * symbol are its depth. Where self is not told, it is what the callees leave.
 */
#include "import/import.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "import/scan.h"
#include "model/meta.h"

#define DEPTH_MOST 4096
#define NONE	   UINT32_MAX

struct row {
	uint32_t node;
	int64_t total, self, callees; /* self -1: not told */
};

struct instruments {
	struct input *in;
	struct builder *b;
	uint32_t metric, thread;
	uint32_t weight, self, symbol; /* columns; NONE: there is none */
	bool self_ms;
	size_t indent; /* of the first row */
	bool begun;
	VEC(struct row) open;
};

static const struct unit {
	const char *word, *metric, *unit;
	double scale;
} units[] = {
	{"ns", "time", "ns", 1},
	{"ms", "time", "ns", 1e6},
	{"s", "time", "ns", 1e9},
	{"min", "time", "ns", 60e9},
	{"h", "time", "ns", 3600e9},
	{"cycles", "cycles", "events", 1},
	{"Kc", "cycles", "events", 1e3},
	{"Mc", "cycles", "events", 1e6},
	{"Gc", "cycles", "events", 1e9},
	{"Bytes", "size", "bytes", 1},
	{"KB", "size", "bytes", 1024},
	{"MB", "size", "bytes", 1048576},
	{"GB", "size", "bytes", 1073741824},
};

static struct span column(struct span line, uint32_t number)
{
	for (; number && line.n; number--)
		span_take(&line, '\t');
	return number ? (struct span){"", 0} : span_take(&line, '\t');
}

/* "4.93 s  100.0%", "4273.0ms   99.9%" */
static const struct unit *read_amount(struct span cell, int64_t *out)
{
	struct span number = {cell.s, 0}, unit;
	double value;

	cell = span_trim(cell);
	number.s = cell.s;
	while (number.n < cell.n && strchr("0123456789.", cell.s[number.n]) && cell.s[number.n])
		number.n++;
	cell = span_from(cell, number.n);
	unit = span_word(&cell);
	if (!span_double(number, &value) || value > 1e9)
		return NULL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (span_is(unit, units[i].word) && value * units[i].scale < 4e18) {
			*out = llround(value * units[i].scale);
			return &units[i];
		}
	return NULL;
}

static int64_t read_self(const struct instruments *t, struct span line)
{
	const struct span cell = span_trim(column(line, t->self));
	double ms;
	int64_t self;

	if (t->self == NONE || !cell.n)
		return -1;
	if (t->self_ms)
		return span_double(cell, &ms) && ms >= 0 && ms < 1e12 ? llround(ms * 1e6) : -1;
	return read_amount(cell, &self) ? self : -1;
}

static void end_below(struct instruments *t, size_t n)
{
	for (; t->open.n > n; t->open.n--) {
		const struct row *r = &t->open.at[t->open.n - 1];
		const int64_t rest = r->total - r->callees;
		const struct builder_value v = {t->metric, r->self >= 0 ? r->self
							   : rest > 0	? rest
									: 0};

		builder_sample(t->b, 0, t->thread, r->node, 1, &v, 1);
	}
}

/* The thread is one, for the copy tells none. */
static void begin(struct instruments *t, const struct unit *u)
{
	static const char all[] = "all threads";

	t->metric = builder_metric(t->b, u->metric, u->unit, METRIC_SUM);
	t->thread = builder_thread(t->b, 0, 0, builder_text(t->b, all, sizeof(all) - 1), 0);
	t->begun = true;
}

static uint32_t frame_of(struct instruments *t, struct span name)
{
	struct function f = {.name = builder_span(t->b, name), .kind = KIND_NATIVE};

	f.named = !builder_is_unnamed(name);
	return profile_frame(t->b->profile,
			     &(struct frame){.function = profile_function(t->b->profile, &f)});
}

static int take_row(struct instruments *t, struct span line)
{
	const struct span symbol = column(line, t->symbol);
	struct row r = {.self = read_self(t, line)};
	const struct unit *u = read_amount(column(line, t->weight), &r.total);
	size_t depth = 0;

	while (depth < symbol.n && symbol.s[depth] == ' ')
		depth++;
	if (!u || depth == symbol.n)
		return input_bad(t->in, "an amount with its unit and a symbol are expected");
	if (!t->begun) {
		t->indent = depth;
		begin(t, u);
	}
	if (depth < t->indent || depth - t->indent > t->open.n || depth >= DEPTH_MOST)
		return input_bad(t->in, "it is deeper than the line before it allows");
	depth -= t->indent;
	end_below(t, depth);
	if (depth)
		t->open.at[depth - 1].callees = builder_sum(t->open.at[depth - 1].callees, r.total);
	r.node = profile_node(t->b->profile, depth ? t->open.at[depth - 1].node : 0,
			      frame_of(t, span_trim(symbol)));
	vec_push(&t->open, r);
	return 0;
}

static bool take_header(struct instruments *t, struct span line)
{
	t->weight = t->self = t->symbol = NONE;
	for (uint32_t i = 0; line.n; i++) {
		const struct span name = span_trim(span_take(&line, '\t'));

		if (span_is(name, "Weight") || span_is(name, "Running Time") ||
		    span_is(name, "Bytes Used"))
			t->weight = i;
		else if (span_is(name, "Self Weight") || span_is(name, "Self (ms)"))
			t->self = i;
		else if (span_is(name, "Symbol Name") || span_is(name, "Symbol Names"))
			t->symbol = i;
		t->self_ms |= span_is(name, "Self (ms)");
	}
	return t->weight != NONE && t->symbol != NONE;
}

static int instruments_read(struct input *in, struct builder *b)
{
	struct instruments t = {.in = in, .b = b};
	struct span line;
	int rc = input_line(in, &line);

	if (rc >= 0 && (!rc || !take_header(&t, line)))
		return err(-EINVAL, "'%s' is no deep copy of Instruments", in->name);
	while (rc >= 0 && (rc = input_line(in, &line)) > 0)
		if (span_trim(line).n && (rc = builder_skip(b, in, take_row(&t, line))))
			break;
	end_below(&t, 0);
	vec_release(&t.open);
	return !rc && !b->rows.n ? builder_nothing(b, in, "holds no amounts of Instruments") : rc;
}

static bool instruments_is(struct span head)
{
	struct instruments t = {0};

	return take_header(&t, span_take(&head, '\n'));
}

const struct import instruments_import = {
	.name = "instruments",
	.about = "call trees copied from Apple's Instruments (Deep Copy)",
	.is = instruments_is,
	.read = instruments_read,
};
