#include "model/thread_wait.h"

#include "model/check.h"

static const struct column columns[] = {
	TABLE_COLUMN(thread_wait, thread, U32),
	TABLE_COLUMN(thread_wait, blocked_ns, I64),
	TABLE_COLUMN(thread_wait, runnable_ns, I64),
	TABLE_COLUMN(thread_wait, waits, I64),
	TABLE_COLUMN(thread_wait, on_ns, I64, .later = true),
	TABLE_COLUMN(thread_wait, voluntary, I64, .later = true),
	TABLE_COLUMN(thread_wait, involuntary, I64, .later = true),
};

/* All sums of the table together fit. */
static int check_amounts(const struct thread_wait *w, struct spot at, int64_t *sum)
{
	const struct {
		const char *name;
		int64_t value;
	} amounts[] = {{"on_ns", w->on_ns},
		       {"blocked_ns", w->blocked_ns},
		       {"runnable_ns", w->runnable_ns},
		       {"waits", w->waits},
		       {"voluntary", w->voluntary},
		       {"involuntary", w->involuntary}};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(amounts) / sizeof(*amounts); i++)
		rc = check_add(at, amounts[i].name, check_magnitude(amounts[i].value), sum);
	return rc;
}

static int check(const struct profile *p)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->thread_waits.n; i++) {
		const struct thread_wait *w = &p->thread_waits.at[i];

		rc = CHECK_ROW("thread_waits", i, {"thread", w->thread, p->threads.n});
		if (!rc)
			rc = check_amounts(w, (struct spot){"thread_waits", i}, &sum);
	}
	return rc;
}

const struct table thread_waits_table = {
	.name = "thread_waits",
	TABLE_OF(thread_wait, columns),
	.later = true,
	.check = check,
};
