#include "model/run_queue.h"

#include "model/check.h"

static const struct column columns[] = {
	TABLE_COLUMN(run_queue, cpu, U32),
	TABLE_COLUMN(run_queue, low_ns, I64),
	TABLE_COLUMN(run_queue, high_ns, I64),
	TABLE_COLUMN(run_queue, waits, I64),
};

#define BOUND ((uint64_t)INT64_MAX + 1)

/* By CPU, and of each one upwards: a bin begins where the one before it ended, or later. */
static int check_order(const struct profile *p, size_t i)
{
	const struct run_queue *q = &p->run_queues.at[i], *before = q - 1;

	if (!i || q->cpu > before->cpu)
		return 0;
	return CHECK_ROW("run_queues", i, {"cpu", before->cpu, (uint64_t)q->cpu + 1},
			 {"high_ns before it", (uint64_t)before->high_ns, (uint64_t)q->low_ns + 1});
}

static int check(const struct profile *p)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->run_queues.n; i++) {
		const struct run_queue *q = &p->run_queues.at[i];

		rc = CHECK_ROW("run_queues", i, {"high_ns", (uint64_t)q->high_ns, BOUND},
			       {"low_ns", (uint64_t)q->low_ns, (uint64_t)q->high_ns},
			       {"waits", (uint64_t)q->waits, BOUND});
		if (!rc)
			rc = check_order(p, i);
		if (!rc)
			rc = check_add((struct spot){"run_queues", i}, "waits", (uint64_t)q->waits,
				       &sum);
	}
	return rc;
}

const struct table run_queues_table = {
	.name = "run_queues",
	TABLE_OF(run_queue, columns),
	.part = PART_OFFCPU,
	.later = true,
	.check = check,
};
