/* The table of origins: see origin.h. */
#include "model/origin.h"

#include "model/check.h"

static const struct column columns[] = {
	TABLE_COLUMN(origin, file, TEXT),	TABLE_COLUMN(origin, run, TEXT),
	TABLE_COLUMN(origin, version, TEXT),	TABLE_COLUMN(origin, platform, TEXT),
	TABLE_COLUMN(origin, parts, TEXT),	TABLE_COLUMN(origin, started_unix_ns, I64),
	TABLE_COLUMN(origin, duration_ns, I64),
};

/* Where each begins is a sum, which must fit. */
static int check(const struct profile *p)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->origins.n; i++) {
		const uint64_t ns = (uint64_t)p->origins.at[i].duration_ns;

		rc = CHECK_ROW("origins", i, {"duration_ns", ns, 1ull << 63});
		if (!rc)
			rc = check_add((struct spot){"origins", i}, "duration_ns", ns, &sum);
	}
	return rc;
}

const struct table origins_table = {
	.name = "origins",
	TABLE_OF(origin, columns),
	.later = true,
	.check = check,
};
