/*
 * profile_check(): see profile.h. Linear in the tables, and stops at the first thing wrong. Only
 * what protects the program stands here; what merely cannot be true is for model/doubt.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "model/check.h"

static int bad(struct spot s, const char *what, uint64_t got)
{
	return err(-EINVAL, "%s, row %zu: %s %" PRIu64 " is out of range", s.table, s.row, what,
		   got);
}

int check_row(struct spot s, const struct bounded *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].value >= b[i].below)
			return bad(s, b[i].what, b[i].value);
	return 0;
}

int check_add(struct spot s, const char *what, uint64_t magnitude, int64_t *sum)
{
	if (magnitude > INT64_MAX || __builtin_add_overflow(*sum, (int64_t)magnitude, sum))
		return err(-EINVAL, "%s, row %zu: the sum of %s does not fit", s.table, s.row,
			   what);
	return 0;
}

static int check_modules(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->modules.n; i++) {
		const struct module *e = &p->modules.at[i];

		rc = CHECK_ROW("modules", i, {"path", e->path, strings},
			       {"build_id", e->build_id, strings});
	}
	return rc;
}

static int check_functions(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->functions.n; i++) {
		const struct function *e = &p->functions.at[i];

		rc = CHECK_ROW("functions", i, {"name", e->name, strings},
			       {"linkage", e->linkage, strings}, {"file", e->file, strings},
			       {"module", e->module, p->modules.n}, {"kind", e->kind, CODE_KINDS},
			       {"named", e->named, 2});
	}
	return rc;
}

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

static int check_nodes(const struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->nodes.n; i++)
		rc = CHECK_ROW("nodes", i, {"parent", p->nodes.at[i].parent, i ? i : 1},
			       {"frame", p->nodes.at[i].frame, p->frames.n});
	return rc;
}

/* Row 0 of these tables means "none" to all who refer to it. */
static int check_none(const struct profile *p)
{
	static const char zero[sizeof(struct function)];
	const struct {
		const char *table;
		const void *at;
		size_t n, size;
	} tables[] = {
		{"modules", p->modules.at, p->modules.n, sizeof(struct module)},
		{"functions", p->functions.at, p->functions.n, offsetof(struct function, kind)},
		{"frames", p->frames.at, p->frames.n, offsetof(struct frame, inlined)},
		{"nodes", p->nodes.at, p->nodes.n, sizeof(struct node)},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (!tables[i].n)
			return err(-EINVAL, "%s: the table is empty", tables[i].table);
		if (memcmp(tables[i].at, zero, tables[i].size))
			return err(-EINVAL, "%s, row 0: must be empty", tables[i].table);
	}
	return 0;
}

static int check_threads(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->threads.n; i++) {
		const struct thread *e = &p->threads.at[i];

		rc = CHECK_ROW("threads", i, {"name", e->name, strings},
			       {"process", e->process, strings}, {"cgroup", e->cgroup, strings},
			       {"start_ns", e->start_ns, INT64_MAX});
	}
	return rc;
}

static int check_metrics(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->metrics.n; i++) {
		const struct metric *e = &p->metrics.at[i];

		rc = CHECK_ROW("metrics", i, {"name", e->name, strings}, {"unit", e->unit, strings},
			       {"kind", e->kind, METRIC_COUNT + 1});
	}
	return rc;
}

/* No sum over any part of the column can overflow. */
static int check_sum(const char *table, const profile_values *v)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < v->n; i++)
		rc = check_add((struct spot){table, i}, "the values", check_magnitude(v->at[i]),
			       &sum);
	return rc;
}

static int check_samples(const struct profile *p)
{
	const struct samples *s = &p->samples;
	int rc = 0;

	if (s->thread.n != s->time_ns.n || s->node.n != s->time_ns.n || s->zone.n != s->time_ns.n)
		return err(-EINVAL, "samples: columns of unequal length");
	if (s->values.n != p->metrics.n)
		return err(-EINVAL, "samples: %zu value columns for %zu metrics", s->values.n,
			   p->metrics.n);
	for (size_t i = 0; !rc && i < s->time_ns.n; i++)
		rc = CHECK_ROW("samples", i, {"time_ns", s->time_ns.at[i], INT64_MAX},
			       {"thread", s->thread.at[i], p->threads.n},
			       {"node", s->node.at[i], p->nodes.n},
			       {"zone", s->zone.at[i], p->zone_edges.n});
	for (size_t m = 0; !rc && m < s->values.n; m++) {
		if (s->values.at[m].n != s->time_ns.n)
			return err(-EINVAL, "samples: columns of unequal length");
		rc = check_sum("samples", &s->values.at[m]);
	}
	return rc;
}

static int check_ledger(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->ledger.n; i++) {
		const struct ledger_row *e = &p->ledger.at[i];

		rc = CHECK_ROW("ledger", i, {"name", e->name, strings},
			       {"metric", e->metric == LEDGER_ZONES ? 0 : e->metric,
				e->metric == LEDGER_ZONES ? 1 : p->metrics.n},
			       {"class", e->class, LEDGER_CLASSES});
		if (!rc)
			rc = check_add((struct spot){"ledger", i}, "counts",
				       check_magnitude(e->count), &sum);
	}
	return rc;
}

static int check_cost(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->cost.n; i++) {
		const struct cost_row *e = &p->cost.at[i];

		rc = CHECK_ROW("cost", i, {"name", e->name, strings}, {"unit", e->unit, strings});
		if (!rc && !isfinite(e->value))
			rc = err(-EINVAL, "cost, row %zu: the value is no finite number", i);
	}
	return rc;
}

static int check_attrs(const struct profile *p, const char *table, const struct attr *at, size_t n)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = CHECK_ROW(table, i, {"key", at[i].key, strings},
			       {"text", at[i].text, strings});
	return rc;
}

static int check_run(const struct profile *p)
{
	int rc = check_attrs(p, "meta", p->meta.at, p->meta.n);

	if (!rc)
		rc = check_attrs(p, "run", p->run.at, p->run.n);
	if (!rc && !isfinite(p->hz))
		rc = err(-EINVAL, "run: hz %g is no finite number", p->hz);
	return rc;
}

int profile_check(const struct profile *p)
{
	static int (*const checks[])(const struct profile *) = {
		check_none,   check_modules, check_functions, check_frames,
		check_nodes,  check_threads, check_metrics,   check_samples,
		check_ledger, check_cost,    check_run,	      check_zones,
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(checks) / sizeof(*checks); i++)
		rc = checks[i](p);
	return rc;
}
