#include "model/toy.h"

#include "model/check.h"

static const struct column toys_columns[] = {
	TABLE_COLUMN(toy, name, TEXT),
	TABLE_COLUMN(toy, thread, U32),
	TABLE_COLUMN(toy, node, U32),
	TABLE_COLUMN(toy, frame, U32),
	TABLE_COLUMN(toy, count, I64, .coding = CODING_DELTA),
	TABLE_COLUMN(toy, most, I64),
	TABLE_COLUMN(toy, total, I64),
	TABLE_COLUMN(toy, mean, F64),
	TABLE_COLUMN(toy, level, F64),
	TABLE_COLUMN(toy, latest, I64),
};

static int check_toys(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->toys.n; i++) {
		const struct toy *e = &p->toys.at[i];

		rc = CHECK_ROW("toys", i, {"thread", e->thread, p->threads.n},
			       {"node", e->node, p->nodes.n}, {"frame", e->frame, p->frames.n});
	}
	return rc;
}

const struct table toys_table = {
	.name = "toys",
	TABLE_OF(toy, toys_columns),
	.later = true,
	.check = check_toys,
};

static const struct column toy_starts_columns[] = {
	TABLE_COLUMN(toy_start, time_ns, U64, .coding = CODING_DELTA),
	TABLE_COLUMN(toy_start, thread, U32),
	TABLE_COLUMN(toy_start, node, U32),
	TABLE_COLUMN(toy_start, toy, U32),
};

static int check_toy_starts(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->toy_starts.n; i++) {
		const struct toy_start *e = &p->toy_starts.at[i];

		rc = CHECK_ROW("toy_starts", i, {"thread", e->thread, p->threads.n},
			       {"node", e->node, p->nodes.n}, {"toy", e->toy, p->toys.n});
	}
	return rc;
}

const struct table toy_starts_table = {
	.name = "toy_starts",
	TABLE_OF(toy_start, toy_starts_columns),
	.later = true,
	.check = check_toy_starts,
};
