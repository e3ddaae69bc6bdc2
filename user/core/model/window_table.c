/* The table of windows: see window.h. */
#include "model/check.h"

static const struct column windows_columns[] = {
	TABLE_COLUMN(window, t0_ns, U64, .coding = CODING_DELTA),
	TABLE_COLUMN(window, t1_ns, U64, .coding = CODING_DELTA),
};

static int check_windows(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->windows.n; i++) {
		const struct window *e = &p->windows.at[i];

		rc = CHECK_ROW("windows", i, {"t1_ns", e->t1_ns, INT64_MAX},
			       {"t0_ns", e->t0_ns, e->t1_ns + 1});
	}
	return rc;
}

const struct table windows_table = {
	.name = "windows",
	TABLE_OF(window, windows_columns),
	.later = true,
	.check = check_windows,
};
