/* The tables that every profile has: their columns and checks. Functions, frames and nodes of
 * neighbouring rows are alike, so differences to the row before deflate best. */
#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "model/check.h"

static const struct column modules_columns[] = {
	TABLE_COLUMN(module, path, TEXT),
	TABLE_COLUMN(module, build_id, TEXT),
};

const struct table modules_table = {
	.name = "modules",
	TABLE_OF(module, modules_columns),
};

static const struct column functions_columns[] = {
	TABLE_COLUMN(function, name, TEXT, .coding = CODING_DELTA),
	TABLE_COLUMN(function, linkage, TEXT, .coding = CODING_DELTA),
	TABLE_COLUMN(function, file, TEXT),
	TABLE_COLUMN(function, line, U32),
	TABLE_COLUMN(function, module, U32),
	TABLE_COLUMN(function, kind, U8),
	TABLE_COLUMN(function, named, U8),
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
	TABLE_COLUMN(frame, function, U32, .coding = CODING_DELTA),
	TABLE_COLUMN(frame, line, U32),
	TABLE_COLUMN(frame, inlined, U8),
	TABLE_COLUMN(frame, guessed, U8),
	TABLE_COLUMN(frame, address, U64, .coding = CODING_DELTA, .later = true),
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
	TABLE_COLUMN(node, parent, U32, .coding = CODING_BACK),
	TABLE_COLUMN(node, frame, U32),
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
	TABLE_COLUMN(thread, pid, U32),
	TABLE_COLUMN(thread, tid, U32),
	TABLE_COLUMN(thread, name, TEXT),
	TABLE_COLUMN(thread, process, TEXT),
	TABLE_COLUMN(thread, cgroup, TEXT),
	TABLE_COLUMN(thread, start_ns, U64),
	TABLE_COLUMN(thread, born_ns, U64, .later = true),
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
	TABLE_COLUMN(metric, name, TEXT),
	TABLE_COLUMN(metric, unit, TEXT),
	TABLE_COLUMN(metric, kind, U8),
	TABLE_COLUMN(metric, base, TEXT, .later = true),
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
	TABLE_COLUMN(ledger_row, name, TEXT),
	TABLE_COLUMN(ledger_row, metric, U32),
	TABLE_COLUMN(ledger_row, class, U8),
	TABLE_COLUMN(ledger_row, count, I64),
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
	TABLE_COLUMN(cost_row, name, TEXT),
	TABLE_COLUMN(cost_row, unit, TEXT),
	TABLE_COLUMN(cost_row, value, F64),
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

static const struct column samples_columns[] = {
	TABLE_COLUMN(sample, time_ns, U64, .coding = CODING_DELTA),
	TABLE_COLUMN(sample, thread, U32),
	TABLE_COLUMN(sample, node, U32),
	TABLE_COLUMN(sample, zone, U32, .later = true),
	TABLE_COLUMN(sample, reason, U32, .later = true),
	TABLE_COLUMN(sample, wait_ns, U64, .later = true),
};

/* No sum over any part of the columns can overflow, nor one of several of them (measure.h). */
static int check_values(const struct profile *p)
{
	const struct samples *s = &p->samples;
	int64_t sum = 0;
	int rc = 0;

	if (s->values.n != p->metrics.n)
		return err(-EINVAL, "samples: %zu value columns for %zu metrics", s->values.n,
			   p->metrics.n);
	for (size_t m = 0; !rc && m < s->values.n; m++) {
		const profile_values *v = &s->values.at[m];

		if (v->n != s->n)
			return err(-EINVAL, "samples: columns of unequal length");
		for (size_t i = 0; !rc && i < v->n; i++)
			rc = check_add((struct spot){"samples", i}, "the values",
				       check_magnitude(v->at[i]), &sum);
	}
	return rc;
}

static int check_samples(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->samples.n; i++) {
		const struct sample *s = &p->samples.at[i];

		rc = CHECK_ROW("samples", i, {"time_ns", s->time_ns, INT64_MAX},
			       {"thread", s->thread, p->threads.n}, {"node", s->node, p->nodes.n},
			       {"zone", s->zone, p->zone_edges.n},
			       {"reason", s->reason, p->reasons.n ? p->reasons.n : 1},
			       {"wait_ns", s->wait_ns, INT64_MAX});
	}
	return rc ? rc : check_values(p);
}

const struct table samples_table = {
	.name = "samples",
	TABLE_OF(sample, samples_columns),
	.valued = true,
	.check = check_samples,
};
