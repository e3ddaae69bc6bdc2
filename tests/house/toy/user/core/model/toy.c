#include "model/toy.h"

#include "model/profile.h"

static const struct column toys_columns[] = {
	TABLE_COLUMN(toy, name, TEXT, .key = 1),
	TABLE_COLUMN(toy, thread, U32, .refers = TABLE_threads, .adds = ADDS_AT_MIN,
		     .by = offsetof(struct toy, first_unix_ns)),
	TABLE_COLUMN(toy, node, U32, .refers = TABLE_nodes, .adds = ADDS_AT_MIN,
		     .by = offsetof(struct toy, first_unix_ns)),
	TABLE_COLUMN(toy, frame, U32, .refers = TABLE_frames, .adds = ADDS_AT_MIN,
		     .by = offsetof(struct toy, first_unix_ns)),
	TABLE_COLUMN(toy, count, I64, .coding = CODING_DELTA, .adds = ADDS_SUM),
	TABLE_COLUMN(toy, most, I64, .adds = ADDS_MAX),
	TABLE_COLUMN(toy, total, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(toy, mean, F64, .adds = ADDS_DERIVED),
	TABLE_COLUMN(toy, level, F64, .adds = ADDS_MEAN, .by = offsetof(struct toy, level_exact)),
	TABLE_COLUMN(toy, latest, I64, .adds = ADDS_AT_MAX,
		     .by = offsetof(struct toy, last_unix_ns)),
	TABLE_COLUMN(toy, first_unix_ns, I64, .inner = true, .adds = ADDS_MIN),
	TABLE_COLUMN(toy, last_unix_ns, I64, .inner = true, .adds = ADDS_MAX),
	TABLE_COLUMN(toy, level_exact, I128, .inner = true, .adds = ADDS_SUM),
};

static void derive_toys(struct profile *p)
{
	for (size_t i = 0; i < p->toys.n; i++) {
		struct toy *e = &p->toys.at[i];

		e->mean = e->count ? (double)e->total / (double)e->count : 0;
	}
}

const struct table toys_table = {
	.name = "toys",
	TABLE_OF(toy, toys_columns),
	.later = true,
	.derive = derive_toys,
};

static const struct column toy_starts_columns[] = {
	TABLE_COLUMN(toy_start, time_ns, U64, .coding = CODING_DELTA, .time = true),
	TABLE_COLUMN(toy_start, thread, U32, .refers = TABLE_threads),
	TABLE_COLUMN(toy_start, node, U32, .refers = TABLE_nodes),
	TABLE_COLUMN(toy_start, toy, U32, .refers = TABLE_toys),
};

const struct table toy_starts_table = {
	.name = "toy_starts",
	TABLE_OF(toy_start, toy_starts_columns),
	.rows = ROWS_EVENTS,
	.later = true,
};
