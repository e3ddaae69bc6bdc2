#include "model/thread_wait.h"

#include "model/check.h"

static const struct column columns[] = {
	TABLE_COLUMN(thread_wait, thread, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(thread_wait, blocked_ns, COLUMN_I64, CODING_PLAIN),
	TABLE_COLUMN(thread_wait, runnable_ns, COLUMN_I64, CODING_PLAIN),
	TABLE_COLUMN(thread_wait, waits, COLUMN_I64, CODING_PLAIN),
};

static int check(const struct profile *p)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->thread_waits.n; i++) {
		const struct thread_wait *w = &p->thread_waits.at[i];
		const struct spot at = {"thread_waits", i};

		rc = CHECK_ROW("thread_waits", i, {"thread", w->thread, p->threads.n});
		if (!rc)
			rc = check_add(at, "blocked_ns", check_magnitude(w->blocked_ns), &sum);
		if (!rc)
			rc = check_add(at, "runnable_ns", check_magnitude(w->runnable_ns), &sum);
		if (!rc)
			rc = check_add(at, "waits", check_magnitude(w->waits), &sum);
	}
	return rc;
}

const struct table thread_waits_table = {
	.name = "thread_waits",
	TABLE_OF(thread_wait, columns),
	.later = true,
	.check = check,
};
