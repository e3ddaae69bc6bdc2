#include "store/schema.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

const struct column schema_values = {.name = "value_%zu", .type = COLUMN_I64};

static_assert(sizeof(struct any_vec) == sizeof(((struct profile *)0)->nodes), "vec layout");

const char schema_about[] =
	"/<version>/<platform>/profiles/<run> is one capture. Its tables refer to each other by "
	"row number, to texts by number in strings: UTF-8, each ended by a NUL "
	"(bytes(strings[:]).split(b'\\0')). functions.name and zones.name are datasets with the "
	"names themselves, row by row: run['functions.name'].asstr()[:]. A node is a stack: its "
	"frame, called from its "
	"parent's; row 0 of modules, functions, frames and nodes is none. frames.address: in the "
	"module's file, of a function without a name. origins: the captures that a profile was "
	"merged "
	"from, one behind the other in time. samples has a dataset "
	"a column; value_N is of row N of metrics. Times are ns since started_unix_ns. "
	"functions.kind: 0 user, 1 kernel, 2 JIT, 3 vDSO, 4 unknown, 5 mark. ledger.class: 0 "
	"taken = 1 kept + 2 lost; 3 note; a metric of 2^32-1 there is calls of zones. zones, one "
	"row a "
	"function whose calls were timed: counts = timed + untimed + unwound; total_ns of the "
	"outermost calls, calls_ns of all; comp_… is less what the probes cost, …_margin_ns how "
	"far that may be off. zone_edges is "
	"their "
	"call tree, row 0 its root; samples.zone is a row of it. reasons: why threads were off the "
	"CPU, samples.reason is a row of it, 0 none, samples.wait_ns how long the wait was, 0 "
	"unknown; state as ps shows it. regression: what a comparison with a baseline found when "
	"the capture ended, attributes regression.… tell of which; of: 0 run, 1 zone, 2 its calls, "
	"3 function self, 4 total; verdict: 0 regressed, 1 improved, 2 moved, 3 undecided, 4 "
	"unchanged, 5 not comparable, 6 added, 7 removed; flags: 1 change known, 2 tested, 4 "
	"suspect, 8 too few samples. Columns of encoding "
	"'delta' hold "
	"the difference to the "
	"row before: numpy.cumsum(x, dtype=x.dtype); 'back': the row's number less the value. %XX "
	"in a group's name is a byte that HDF5 forbids there.";

void column_encode(const struct column *c, char *first, size_t n, size_t stride)
{
	/* As if the cell stood at its offset in the row. */
	for (size_t i = n; c->coding != CODING_PLAIN && i-- > 0;) {
		char *row = first + i * stride - c->offset;
		const uint64_t v = cell_u64(c, row);

		if (c->coding == CODING_BACK)
			cell_set_u64(c, row, i - v);
		else if (i)
			cell_set_u64(c, row, v - cell_u64(c, row - stride));
	}
}

void column_decode(const struct column *c, char *first, size_t n, size_t stride)
{
	for (size_t i = 0; c->coding != CODING_PLAIN && i < n; i++) {
		char *row = first + i * stride - c->offset;
		const uint64_t v = cell_u64(c, row);

		if (c->coding == CODING_BACK)
			cell_set_u64(c, row, i - v);
		else if (i)
			cell_set_u64(c, row, v + cell_u64(c, row - stride));
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
