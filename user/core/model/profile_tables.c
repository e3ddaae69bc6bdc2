/* The tables that every profile has: their columns and checks. Functions, frames and nodes of
 * neighbouring rows are alike, so differences to the row before deflate best. */
#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "model/cell.h"
#include "model/check.h"
#include "model/profile.h"

static const struct column modules_columns[] = {
	TABLE_COLUMN(module, path, TEXT, .key = 1),
	TABLE_COLUMN(module, build_id, TEXT, .key = 2),
};

const struct table modules_table = {
	.name = "modules",
	TABLE_OF(module, modules_columns),
	.rows = ROWS_NAMES,
	.none = true,
};

static const struct column functions_columns[] = {
	TABLE_COLUMN(function, name, TEXT, .coding = CODING_DELTA, .key = 2, .spelled = true),
	TABLE_COLUMN(function, linkage, TEXT, .coding = CODING_DELTA),
	TABLE_COLUMN(function, file, TEXT, .key = 3),
	TABLE_COLUMN(function, line, U32, .key = 4),
	TABLE_COLUMN(function, module, U32, .key = 1, .refers = TABLE_modules),
	TABLE_COLUMN(function, kind, U8, .key = 5, .below = FRAME_KINDS),
	TABLE_COLUMN(function, named, U8, .adds = ADDS_MAX, .below = 2),
};

const struct table functions_table = {
	.name = "functions",
	TABLE_OF(function, functions_columns),
	.rows = ROWS_NAMES,
	.none = true,
};

static const struct column frames_columns[] = {
	TABLE_COLUMN(frame, function, U32, .coding = CODING_DELTA, .key = 1,
		     .refers = TABLE_functions),
	TABLE_COLUMN(frame, line, U32, .key = 2),
	TABLE_COLUMN(frame, inlined, U8, .key = 5, .below = 2),
	TABLE_COLUMN(frame, guessed, U8, .key = 4, .below = 2),
	TABLE_COLUMN(frame, kind, U8, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(frame, address, U64, .coding = CODING_DELTA, .later = true, .key = 3),
};

static void frames_derive(struct profile *p)
{
	for (size_t i = 0; i < p->frames.n; i++)
		p->frames.at[i].kind = profile_frame_kind(p, &p->frames.at[i]);
}

const struct table frames_table = {
	.name = "frames",
	TABLE_OF(frame, frames_columns),
	.rows = ROWS_NAMES,
	.derive = frames_derive,
	.none = true,
};

static const struct column nodes_columns[] = {
	TABLE_COLUMN(node, parent, U32, .coding = CODING_BACK, .key = 1, .refers = TABLE_nodes),
	TABLE_COLUMN(node, frame, U32, .key = 2, .refers = TABLE_frames),
};

const struct table nodes_table = {
	.name = "nodes",
	TABLE_OF(node, nodes_columns),
	.rows = ROWS_NAMES,
	.none = true,
};

static const struct column threads_columns[] = {
	TABLE_COLUMN(thread, pid, U32, .key = 1),
	TABLE_COLUMN(thread, tid, U32, .key = 2),
	TABLE_COLUMN(thread, name, TEXT, .key = 5),
	TABLE_COLUMN(thread, process, TEXT, .adds = ADDS_LATEST),
	TABLE_COLUMN(thread, cgroup, TEXT, .adds = ADDS_LATEST),
	TABLE_COLUMN(thread, start_ns, U64, .key = 4, .below = INT64_MAX),
	TABLE_COLUMN(thread, born_ns, U64, .later = true, .key = 3, .below = INT64_MAX),
};

const struct table threads_table = {
	.name = "threads",
	TABLE_OF(thread, threads_columns),
	.rows = ROWS_LISTED,
};

static const struct column metrics_columns[] = {
	TABLE_COLUMN(metric, name, TEXT, .key = 1),
	TABLE_COLUMN(metric, unit, TEXT, .key = 2),
	TABLE_COLUMN(metric, kind, U8, .key = 3, .below = METRIC_VARIANCE + 1),
	TABLE_COLUMN(metric, base, TEXT, .later = true),
	TABLE_COLUMN(metric, ledger, TEXT, .later = true),
	TABLE_COLUMN(metric, exact, U8, .below = 2, .later = true),
	TABLE_COLUMN(metric, course, U8, .below = COURSES, .later = true),
	TABLE_COLUMN(metric, variance, TEXT, .later = true),
};

const struct table metrics_table = {
	.name = "metrics",
	TABLE_OF(metric, metrics_columns),
	.rows = ROWS_LISTED,
};

static const struct column ledger_columns[] = {
	TABLE_COLUMN(ledger_row, name, TEXT, .key = 3),
	TABLE_COLUMN(ledger_row, metric, U32, .key = 1, .refers = TABLE_metrics,
		     .beside = LEDGER_BESIDE),
	TABLE_COLUMN(ledger_row, class, U8, .key = 2, .below = LEDGER_CLASSES),
	TABLE_COLUMN(ledger_row, count, I64, .adds = ADDS_SUM),
};

const struct table ledger_table = {
	.name = "ledger",
	TABLE_OF(ledger_row, ledger_columns),
	.running = true,
	.cumulative = true,
};

static const struct column samples_columns[] = {
	TABLE_COLUMN(sample, time_ns, U64, .coding = CODING_DELTA, .time = true),
	TABLE_COLUMN(sample, thread, U32, .refers = TABLE_threads),
	TABLE_COLUMN(sample, node, U32, .refers = TABLE_nodes),
	TABLE_COLUMN(sample, zone, U32, .later = true, .refers = TABLE_zone_edges),
	TABLE_COLUMN(sample, reason, U32, .later = true, .refers = TABLE_reasons),
	TABLE_COLUMN(sample, wait_ns, U64, .later = true, .below = INT64_MAX),
};

/* No sum over a part of one or several columns can overflow (measure.h adds several). */
static int check_values(const struct profile *p)
{
	const struct samples *s = &p->samples;
	int64_t sum = 0;
	int rc = 0;

	if (s->values.n != p->metrics.n)
		return err(-EINVAL, "samples: %zu value columns for %zu metrics", s->values.n,
			   p->metrics.n);
	for (size_t m = 0; !rc && m < s->values.n; m++) {
		const profile_values *v = &s->values.at[m];

		if (v->n != s->n)
			return err(-EINVAL, "samples: columns of unequal length");
		for (size_t i = 0; !rc && i < v->n; i++)
			rc = check_add((struct spot){"samples", i}, "the values",
				       check_magnitude(v->at[i]), &sum);
	}
	return rc;
}

const struct table samples_table = {
	.name = "samples",
	TABLE_OF(sample, samples_columns),
	.valued = true,
	.check = check_values,
	.rows = ROWS_EVENTS,
};

static const struct column windows_columns[] = {
	TABLE_COLUMN(window, t0_ns, U64, .coding = CODING_DELTA, .time = true),
	TABLE_COLUMN(window, t1_ns, U64, .coding = CODING_DELTA, .time = true),
	TABLE_COLUMN(window, hz, F64, .later = true),
};

/* A window does not end before it begins. */
static int check_windows(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->windows.n; i++)
		rc = CHECK_ROW("windows", i,
			       {"t0_ns", p->windows.at[i].t0_ns, p->windows.at[i].t1_ns + 1});
	return rc;
}

const struct table windows_table = {
	.name = "windows",
	TABLE_OF(window, windows_columns),
	.later = true,
	.check = check_windows,
	.rows = ROWS_SPANS,
};

static const struct column source_lines_columns[] = {
	TABLE_COLUMN(source_line, file, TEXT, .key = 1),
	TABLE_COLUMN(source_line, line, U32, .coding = CODING_DELTA, .key = 2),
	TABLE_COLUMN(source_line, text, TEXT, .adds = ADDS_SAME, .differs_text = SOURCE_DIFFERS),
};

const struct table source_lines_table = {
	.name = "source_lines",
	TABLE_OF(source_line, source_lines_columns),
	.part = PART_SOURCE,
};

/* A newer program's kind is no error: it has no name here. */
static const struct column reasons_columns[] = {
	TABLE_COLUMN(reason, kind, U8, .key = 1),
	TABLE_COLUMN(reason, idle, U8, .key = 2, .below = 2),
	TABLE_COLUMN(reason, state, U8, .key = 3, .below = 128),
	TABLE_COLUMN(reason, call, TEXT, .key = 4),
	TABLE_COLUMN(reason, object, TEXT, .key = 5),
};

const struct table reasons_table = {
	.name = "reasons",
	TABLE_OF(reason, reasons_columns),
	.part = PART_OFFCPU,
	.rows = ROWS_NAMES,
	.none = true,
};

/* The durations must add up: a capture begins where the ones before it end. */
static const struct column origins_columns[] = {
	TABLE_COLUMN(origin, file, TEXT, .key = 2),
	TABLE_COLUMN(origin, run, TEXT, .key = 3),
	TABLE_COLUMN(origin, version, TEXT, .key = 4),
	TABLE_COLUMN(origin, platform, TEXT, .key = 5),
	TABLE_COLUMN(origin, parts, TEXT, .key = 7),
	TABLE_COLUMN(origin, started_unix_ns, I64, .key = 1),
	TABLE_COLUMN(origin, duration_ns, I64, .key = 6, .adds = ADDS_SUM,
		     .below = (uint64_t)INT64_MAX + 1),
};

const struct table origins_table = {
	.name = "origins",
	TABLE_OF(origin, origins_columns),
	.later = true,
	.rows = ROWS_ORIGINS,
};

/* --- all tables ------------------------------------------------------------------------------- */

#define TABLE(name, row)  extern const struct table name##_table;
#define VALUED(name, row) TABLE(name, row)
#include "model/tables.def"
#undef TABLE

const struct table_place profile_tables[] = {
#define TABLE(name, row) {&name##_table, offsetof(struct profile, name)},
#include "model/tables.def"
#undef TABLE
#undef VALUED
	{0},
};

const struct column *table_parent(const struct table_place *t)
{
	for (size_t i = 0; i < t->table->n_columns; i++)
		if (t->table->columns[i].refers == table_id_of(t))
			return &t->table->columns[i];
	return NULL;
}

const struct column *table_key(const struct table *t, int place)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].key == place)
			return &t->columns[i];
	return NULL;
}

size_t column_bytes(const struct column *c)
{
	static const uint8_t bytes[] = {
		[COLUMN_U8] = 1,  [COLUMN_U32] = 4,  [COLUMN_U64] = 8,	 [COLUMN_I64] = 8,
		[COLUMN_F64] = 8, [COLUMN_TEXT] = 4, [COLUMN_I128] = 16,
	};

	return bytes[c->type];
}
