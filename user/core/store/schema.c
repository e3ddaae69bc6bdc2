#include "store/schema.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

#define COLUMN(row, field, type, coding)                             \
	{                                                            \
#field, offsetof(struct row, field), type, coding, 0 \
	}
/* One that came later than its table. */
#define LATER(row, field, type, coding)                              \
	{                                                            \
#field, offsetof(struct row, field), type, coding, 1 \
	}

static const struct column modules[] = {
	COLUMN(module, path, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(module, build_id, COLUMN_TEXT, CODING_PLAIN),
};

static const struct column functions[] = {
	COLUMN(function, name, COLUMN_TEXT, CODING_DELTA),
	COLUMN(function, linkage, COLUMN_TEXT, CODING_DELTA),
	COLUMN(function, file, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(function, line, COLUMN_U32, CODING_PLAIN),
	COLUMN(function, module, COLUMN_U32, CODING_PLAIN),
	COLUMN(function, kind, COLUMN_U8, CODING_PLAIN),
	COLUMN(function, named, COLUMN_U8, CODING_PLAIN),
};

static const struct column frames[] = {
	COLUMN(frame, function, COLUMN_U32, CODING_DELTA),
	COLUMN(frame, line, COLUMN_U32, CODING_PLAIN),
	COLUMN(frame, inlined, COLUMN_U8, CODING_PLAIN),
	COLUMN(frame, guessed, COLUMN_U8, CODING_PLAIN),
};

static const struct column nodes[] = {
	COLUMN(node, parent, COLUMN_U32, CODING_BACK),
	COLUMN(node, frame, COLUMN_U32, CODING_PLAIN),
};

static const struct column threads[] = {
	COLUMN(thread, pid, COLUMN_U32, CODING_PLAIN),
	COLUMN(thread, tid, COLUMN_U32, CODING_PLAIN),
	COLUMN(thread, name, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(thread, process, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(thread, cgroup, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(thread, start_ns, COLUMN_U64, CODING_PLAIN),
};

static const struct column metrics[] = {
	COLUMN(metric, name, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(metric, unit, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(metric, kind, COLUMN_U8, CODING_PLAIN),
};

static const struct column ledger[] = {
	COLUMN(ledger_row, name, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(ledger_row, metric, COLUMN_U32, CODING_PLAIN),
	COLUMN(ledger_row, class, COLUMN_U8, CODING_PLAIN),
	COLUMN(ledger_row, count, COLUMN_I64, CODING_PLAIN),
};

static const struct column cost[] = {
	COLUMN(cost_row, name, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(cost_row, unit, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(cost_row, value, COLUMN_F64, CODING_PLAIN),
};

/* The first ten are those of tracy-csvexport, which every file with zones has. */
static const struct column zones[] = {
	COLUMN(zone, name, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(zone, src_file, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(zone, src_line, COLUMN_U32, CODING_PLAIN),
	COLUMN(zone, total_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone, total_perc, COLUMN_F64, CODING_PLAIN),
	COLUMN(zone, counts, COLUMN_U64, CODING_PLAIN),
	COLUMN(zone, mean_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone, min_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone, max_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone, std_ns, COLUMN_F64, CODING_PLAIN),
	LATER(zone, self_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, calls_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, m2, COLUMN_F64, CODING_PLAIN),
	LATER(zone, self_min_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, self_max_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, self_std_ns, COLUMN_F64, CODING_PLAIN),
	LATER(zone, self_m2, COLUMN_F64, CODING_PLAIN),
	LATER(zone, p50_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, p90_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, p99_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, p999_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, comp_total_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, comp_self_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, comp_mean_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, total_margin_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, self_margin_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, mean_margin_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, probe_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, cpu_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, user_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, sys_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, runnable_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, blocked_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, suspended_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone, minflt, COLUMN_U64, CODING_PLAIN),
	LATER(zone, majflt, COLUMN_U64, CODING_PLAIN),
	LATER(zone, nvcsw, COLUMN_U64, CODING_PLAIN),
	LATER(zone, nivcsw, COLUMN_U64, CODING_PLAIN),
	LATER(zone, inblock, COLUMN_U64, CODING_PLAIN),
	LATER(zone, oublock, COLUMN_U64, CODING_PLAIN),
	LATER(zone, in_flight, COLUMN_U64, CODING_PLAIN),
	LATER(zone, at_start, COLUMN_U64, CODING_PLAIN),
	LATER(zone, unwound, COLUMN_U64, CODING_PLAIN),
	LATER(zone, untimed, COLUMN_U64, CODING_PLAIN),
	LATER(zone, rets, COLUMN_U64, CODING_PLAIN),
	LATER(zone, site_class, COLUMN_U8, CODING_PLAIN),
	LATER(zone, exit_way, COLUMN_U8, CODING_PLAIN),
	LATER(zone, flags, COLUMN_U8, CODING_PLAIN),
	LATER(zone, module, COLUMN_U32, CODING_PLAIN),
	LATER(zone, function, COLUMN_U32, CODING_PLAIN),
	LATER(zone, address, COLUMN_U64, CODING_PLAIN),
	LATER(zone, note, COLUMN_TEXT, CODING_PLAIN),
};

static const struct column zone_edges[] = {
	COLUMN(zone_edge, parent, COLUMN_U32, CODING_BACK),
	COLUMN(zone_edge, zone, COLUMN_U32, CODING_PLAIN),
	COLUMN(zone_edge, counts, COLUMN_U64, CODING_PLAIN),
	COLUMN(zone_edge, timed, COLUMN_U64, CODING_PLAIN),
	COLUMN(zone_edge, total_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone_edge, self_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone_edge, comp_total_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone_edge, comp_self_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone_edge, total_margin_ns, COLUMN_I64, CODING_PLAIN),
	LATER(zone_edge, self_margin_ns, COLUMN_I64, CODING_PLAIN),
};

static const struct column zone_threads[] = {
	COLUMN(zone_thread, zone, COLUMN_U32, CODING_DELTA),
	COLUMN(zone_thread, thread, COLUMN_U32, CODING_PLAIN),
	COLUMN(zone_thread, counts, COLUMN_U64, CODING_PLAIN),
	COLUMN(zone_thread, total_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone_thread, self_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone_thread, min_ns, COLUMN_I64, CODING_PLAIN),
	COLUMN(zone_thread, max_ns, COLUMN_I64, CODING_PLAIN),
};

static const struct column zone_hist[] = {
	COLUMN(zone_bin, zone, COLUMN_U32, CODING_DELTA),
	COLUMN(zone_bin, low_ns, COLUMN_I64, CODING_DELTA),
	COLUMN(zone_bin, high_ns, COLUMN_I64, CODING_DELTA),
	COLUMN(zone_bin, count, COLUMN_U64, CODING_PLAIN),
};

static const struct column zone_values[] = {
	COLUMN(zone_value, zone, COLUMN_U32, CODING_DELTA),
	COLUMN(zone_value, name, COLUMN_TEXT, CODING_PLAIN),
	COLUMN(zone_value, value, COLUMN_I64, CODING_PLAIN),
};

#define TABLE(name, row, of_zones)                                               \
	{                                                                        \
#name, offsetof(struct profile, name), sizeof(struct row), name, \
			sizeof(name) / sizeof(*(name)), of_zones                 \
	}

const struct table schema_tables[] = {
	TABLE(modules, module, false),
	TABLE(functions, function, false),
	TABLE(frames, frame, false),
	TABLE(nodes, node, false),
	TABLE(threads, thread, false),
	TABLE(metrics, metric, false),
	TABLE(ledger, ledger_row, false),
	TABLE(cost, cost_row, false),
	TABLE(zones, zone, true),
	TABLE(zone_edges, zone_edge, true),
	TABLE(zone_threads, zone_thread, true),
	TABLE(zone_hist, zone_bin, true),
	TABLE(zone_values, zone_value, true),
	{0},
};

const struct column schema_samples[] = {
	COLUMN(samples, time_ns, COLUMN_U64, CODING_DELTA),
	COLUMN(samples, thread, COLUMN_U32, CODING_PLAIN),
	COLUMN(samples, node, COLUMN_U32, CODING_PLAIN),
	LATER(samples, zone, COLUMN_U32, CODING_PLAIN),
	{0},
};

const struct column schema_values = {.name = "value_%zu", .type = COLUMN_I64};

static_assert(sizeof(struct any_vec) == sizeof(((struct profile *)0)->nodes), "vec layout");

const char schema_about[] =
	"/<version>/<platform>/profiles/<run> is one capture. Its tables refer to each other by "
	"row number, to texts by number in strings: UTF-8, each ended by a NUL "
	"(bytes(strings[:]).split(b'\\0')). A node is a stack: its frame, called from its "
	"parent's; row 0 of modules, functions, frames and nodes is none. samples has a dataset "
	"a column; value_N is of row N of metrics. Times are ns since started_unix_ns. "
	"functions.kind: 0 user, 1 kernel, 2 JIT, 3 vDSO, 4 unknown, 5 mark. ledger.class: 0 "
	"taken = 1 kept + 2 lost; 3 note; a metric of 2^32-1 there is calls of zones. zones, one "
	"row a "
	"function whose calls were timed: counts = timed + untimed + unwound; total_ns of the "
	"outermost calls, calls_ns of all; comp_… is less what the probes cost, …_margin_ns how "
	"far that may be off. zone_edges is "
	"their "
	"call tree, row 0 its root; samples.zone is a row of it. Columns of encoding 'delta' hold "
	"the difference to the "
	"row before: numpy.cumsum(x, dtype=x.dtype); 'back': the row's number less the value. %XX "
	"in a group's name is a byte that HDF5 forbids there.";

size_t column_bytes(const struct column *c)
{
	static const uint8_t bytes[] = {
		[COLUMN_U8] = 1,  [COLUMN_U32] = 4, [COLUMN_U64] = 8,
		[COLUMN_I64] = 8, [COLUMN_F64] = 8, [COLUMN_TEXT] = 4,
	};

	return bytes[c->type];
}

static uint64_t get(const char *at, size_t bytes)
{
	uint32_t narrow;
	uint64_t wide;

	if (bytes == 4) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static void put(char *at, size_t bytes, uint64_t v)
{
	uint32_t narrow = v;

	if (bytes == 4)
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &v, sizeof(v));
}

void column_encode(const struct column *c, char *first, size_t n, size_t stride)
{
	size_t bytes = column_bytes(c);

	for (size_t i = n; c->coding != CODING_PLAIN && i-- > 0;) {
		char *at = first + i * stride;
		uint64_t v = get(at, bytes);

		if (c->coding == CODING_BACK)
			put(at, bytes, i - v);
		else if (i)
			put(at, bytes, v - get(at - stride, bytes));
	}
}

void column_decode(const struct column *c, char *first, size_t n, size_t stride)
{
	size_t bytes = column_bytes(c);

	for (size_t i = 0; c->coding != CODING_PLAIN && i < n; i++) {
		char *at = first + i * stride;
		uint64_t v = get(at, bytes);

		if (c->coding == CODING_BACK)
			put(at, bytes, i - v);
		else if (i)
			put(at, bytes, v + get(at - stride, bytes));
	}
}

char *columns_encoding(const struct column *columns, size_t n)
{
	static const char *const names[] = {[CODING_DELTA] = "delta", [CODING_BACK] = "back"};
	struct str s = {0};

	for (size_t i = 0; i < n; i++)
		if (columns[i].coding != CODING_PLAIN)
			str_addf(&s, "%s%s: %s", s.n ? ", " : "", columns[i].name,
				 names[columns[i].coding]);
	return str_steal(&s);
}
