/* The tables that every profile has: their columns and checks. Functions, frames and nodes of
 * neighbouring rows are alike, so differences to the row before deflate best. */
#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "model/check.h"

static const struct column modules_columns[] = {
	TABLE_COLUMN(module, path, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(module, build_id, COLUMN_TEXT, CODING_PLAIN),
};

const struct table modules_table = {
	.name = "modules",
	TABLE_OF(module, modules_columns),
};

static const struct column functions_columns[] = {
	TABLE_COLUMN(function, name, COLUMN_TEXT, CODING_DELTA),
	TABLE_COLUMN(function, linkage, COLUMN_TEXT, CODING_DELTA),
	TABLE_COLUMN(function, file, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(function, line, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(function, module, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(function, kind, COLUMN_U8, CODING_PLAIN),
	TABLE_COLUMN(function, named, COLUMN_U8, CODING_PLAIN),
};

static int check_functions(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->functions.n; i++) {
		const struct function *e = &p->functions.at[i];

		rc = CHECK_ROW("functions", i, {"module", e->module, p->modules.n},
			       {"kind", e->kind, CODE_KINDS}, {"named", e->named, 2});
	}
	return rc;
}

const struct table functions_table = {
	.name = "functions",
	TABLE_OF(function, functions_columns),
	.check = check_functions,
};

static const struct column frames_columns[] = {
	TABLE_COLUMN(frame, function, COLUMN_U32, CODING_DELTA),
	TABLE_COLUMN(frame, line, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(frame, inlined, COLUMN_U8, CODING_PLAIN),
	TABLE_COLUMN(frame, guessed, COLUMN_U8, CODING_PLAIN),
	TABLE_LATER(frame, address, COLUMN_U64, CODING_DELTA),
};

static int check_frames(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->frames.n; i++) {
		const struct frame *e = &p->frames.at[i];

		rc = CHECK_ROW("frames", i, {"function", e->function, p->functions.n},
			       {"inlined", e->inlined, 2}, {"guessed", e->guessed, 2});
	}
	return rc;
}

const struct table frames_table = {
	.name = "frames",
	TABLE_OF(frame, frames_columns),
	.check = check_frames,
};

static const struct column nodes_columns[] = {
	TABLE_COLUMN(node, parent, COLUMN_U32, CODING_BACK),
	TABLE_COLUMN(node, frame, COLUMN_U32, CODING_PLAIN),
};

static int check_nodes(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->nodes.n; i++)
		rc = CHECK_ROW("nodes", i, {"parent", p->nodes.at[i].parent, i ? i : 1},
			       {"frame", p->nodes.at[i].frame, p->frames.n});
	return rc;
}

const struct table nodes_table = {
	.name = "nodes",
	TABLE_OF(node, nodes_columns),
	.check = check_nodes,
};

static const struct column threads_columns[] = {
	TABLE_COLUMN(thread, pid, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(thread, tid, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(thread, name, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(thread, process, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(thread, cgroup, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(thread, start_ns, COLUMN_U64, CODING_PLAIN),
	TABLE_LATER(thread, born_ns, COLUMN_U64, CODING_PLAIN),
};

static int check_threads(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->threads.n; i++) {
		const struct thread *e = &p->threads.at[i];

		rc = CHECK_ROW("threads", i, {"start_ns", e->start_ns, INT64_MAX},
			       {"born_ns", e->born_ns, INT64_MAX});
	}
	return rc;
}

const struct table threads_table = {
	.name = "threads",
	TABLE_OF(thread, threads_columns),
	.check = check_threads,
};

static const struct column metrics_columns[] = {
	TABLE_COLUMN(metric, name, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(metric, unit, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(metric, kind, COLUMN_U8, CODING_PLAIN),
	TABLE_LATER(metric, base, COLUMN_TEXT, CODING_PLAIN),
};

static int check_metrics(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->metrics.n; i++) {
		const struct metric *e = &p->metrics.at[i];

		rc = CHECK_ROW("metrics", i, {"kind", e->kind, METRIC_COUNT + 1});
	}
	return rc;
}

const struct table metrics_table = {
	.name = "metrics",
	TABLE_OF(metric, metrics_columns),
	.check = check_metrics,
};

static const struct column ledger_columns[] = {
	TABLE_COLUMN(ledger_row, name, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(ledger_row, metric, COLUMN_U32, CODING_PLAIN),
	TABLE_COLUMN(ledger_row, class, COLUMN_U8, CODING_PLAIN),
	TABLE_COLUMN(ledger_row, count, COLUMN_I64, CODING_PLAIN),
};

static int check_ledger(const struct profile *p)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->ledger.n; i++) {
		const struct ledger_row *e = &p->ledger.at[i];

		rc = CHECK_ROW("ledger", i,
			       {"metric", e->metric >= LEDGER_BESIDE ? 0 : e->metric,
				e->metric >= LEDGER_BESIDE ? 1 : p->metrics.n},
			       {"class", e->class, LEDGER_CLASSES});
		if (!rc)
			rc = check_add((struct spot){"ledger", i}, "counts",
				       check_magnitude(e->count), &sum);
	}
	return rc;
}

const struct table ledger_table = {
	.name = "ledger",
	TABLE_OF(ledger_row, ledger_columns),
	.check = check_ledger,
};

static const struct column cost_columns[] = {
	TABLE_COLUMN(cost_row, name, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(cost_row, unit, COLUMN_TEXT, CODING_PLAIN),
	TABLE_COLUMN(cost_row, value, COLUMN_F64, CODING_PLAIN),
};

static int check_cost(const struct profile *p)
{
	for (size_t i = 0; i < p->cost.n; i++)
		if (!isfinite(p->cost.at[i].value))
			return err(-EINVAL, "cost, row %zu: the value is no finite number", i);
	return 0;
}

const struct table cost_table = {
	.name = "cost",
	TABLE_OF(cost_row, cost_columns),
	.check = check_cost,
};
