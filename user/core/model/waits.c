/* The tables of waits.h and blocker.h: their columns and checks. */
#include "model/waits.h"

#include "model/cell.h"
#include "model/check.h"

static const struct column thread_waits_columns[] = {
	TABLE_COLUMN(thread_wait, thread, U32, .key = 1, .refers = TABLE_threads),
	TABLE_COLUMN(thread_wait, blocked_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(thread_wait, runnable_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(thread_wait, waits, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(thread_wait, on_ns, I64, .later = true, .adds = ADDS_SUM),
	TABLE_COLUMN(thread_wait, voluntary, I64, .later = true, .adds = ADDS_SUM),
	TABLE_COLUMN(thread_wait, involuntary, I64, .later = true, .adds = ADDS_SUM),
	TABLE_COLUMN(thread_wait, nice, I64, .later = true, .adds = ADDS_LATEST),
	TABLE_COLUMN(thread_wait, quota_ns, I64, .later = true, .adds = ADDS_LATEST),
	TABLE_COLUMN(thread_wait, period_ns, I64, .later = true, .adds = ADDS_LATEST),
};

/* The sum of all amounts of the table fits. */
static int check_waits(const struct profile *p)
{
	const struct table *t = table_of(TABLE_thread_waits)->table;
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; i < p->thread_waits.n; i++)
		for (size_t k = 0; !rc && k < t->n_columns; k++) {
			const struct column *c = &t->columns[k];
			const int64_t v = cell_i64(c, (const char *)&p->thread_waits.at[i]);

			if (c->adds == ADDS_SUM)
				rc = check_add((struct spot){t->name, i}, c->name,
					       check_magnitude(v), &sum);
		}
	return rc;
}

const struct table thread_waits_table = {
	.name = "thread_waits",
	TABLE_OF(thread_wait, thread_waits_columns),
	.later = true,
	.check = check_waits,
	.words = "waits of threads",
};

#define BOUND ((uint64_t)INT64_MAX + 1)

static const struct column run_queues_columns[] = {
	TABLE_COLUMN(run_queue, cpu, U32, .key = 1),
	TABLE_COLUMN(run_queue, low_ns, I64, .key = 2, .below = BOUND),
	TABLE_COLUMN(run_queue, high_ns, I64, .key = 3, .below = BOUND),
	TABLE_COLUMN(run_queue, waits, I64, .adds = ADDS_SUM, .below = BOUND),
};

/* Bins are sorted by CPU, and those of a CPU ascend without overlap. */
static int check_order(const struct profile *p, size_t i)
{
	const struct run_queue *q = &p->run_queues.at[i], *before = q - 1;

	if (!i || q->cpu > before->cpu)
		return 0;
	return CHECK_ROW("run_queues", i, {"cpu", before->cpu, (uint64_t)q->cpu + 1},
			 {"high_ns before it", (uint64_t)before->high_ns, (uint64_t)q->low_ns + 1});
}

static int check_queues(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->run_queues.n; i++) {
		const struct run_queue *q = &p->run_queues.at[i];

		rc = CHECK_ROW("run_queues", i,
			       {"low_ns", (uint64_t)q->low_ns, (uint64_t)q->high_ns});
		if (!rc)
			rc = check_order(p, i);
	}
	return rc;
}

const struct table run_queues_table = {
	.name = "run_queues",
	TABLE_OF(run_queue, run_queues_columns),
	.part = PART_OFFCPU,
	.later = true,
	.check = check_queues,
	.words = "run queues",
	.running = true,
	.cumulative = true,
};

static const char *const texts[BLOCKER_KINDS] = {
#define BLOCKER(NAME, text) text,
#include "model/blockers.def"
#undef BLOCKER
};

const char *blocker_text(enum blocker_by by)
{
	return by < BLOCKER_KINDS ? texts[by] : "another cause";
}

static const struct column blockers_columns[] = {
	TABLE_COLUMN(blocker, thread, U32, .key = 1, .refers = TABLE_threads),
	TABLE_COLUMN(blocker, by, U8, .key = 2),
	TABLE_COLUMN(blocker, pid, U32, .key = 3),
	TABLE_COLUMN(blocker, tid, U32, .key = 4),
	TABLE_COLUMN(blocker, reason, U32, .key = 5, .refers = TABLE_reasons),
	TABLE_COLUMN(blocker, name, TEXT, .key = 6),
	TABLE_COLUMN(blocker, ns, I64, .adds = ADDS_SUM, .below = INT64_MAX),
};

const struct table blockers_table = {
	.name = "blockers",
	TABLE_OF(blocker, blockers_columns),
	.later = true,
	.words = "what kept threads waiting",
};
