/* The table of reasons: see reason.h. */
#include "model/check.h"

static const struct column columns[] = {
	TABLE_COLUMN(reason, kind, U8),	    TABLE_COLUMN(reason, idle, U8),
	TABLE_COLUMN(reason, state, U8),    TABLE_COLUMN(reason, call, TEXT),
	TABLE_COLUMN(reason, object, TEXT),
};

/* A kind of a newer program's is no error: it has no name here. */
static int check(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->reasons.n; i++) {
		const struct reason *r = &p->reasons.at[i];

		rc = CHECK_ROW("reasons", i, {"kind", r->kind, i ? 256 : 1}, {"idle", r->idle, 2},
			       {"state", r->state, 128});
	}
	return rc;
}

const struct table reasons_table = {
	.name = "reasons",
	TABLE_OF(reason, columns),
	.part = PART_OFFCPU,
	.check = check,
};
