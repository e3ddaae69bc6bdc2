#include "query/measure.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/meta.h"

/* Stands for the metric of time on CPU, whatever its event is called. */
#define ON_CPU ""

static const struct sum {
	const char *name, *of[MEASURE_METRICS];
	size_t n;
	const char *base; /* what 100 % is */
} sums[] = {
	{METRIC_OFF_CPU,
	 {METRIC_BLOCKED, METRIC_RUNNABLE},
	 2,
	 "time off the CPU (blocked + waiting for a CPU)"},
	{METRIC_WALL,
	 {ON_CPU, METRIC_BLOCKED, METRIC_RUNNABLE},
	 3,
	 "thread time (running + blocked + waiting for a CPU)"},
};
#define SUMS (sizeof(sums) / sizeof(*sums))

static const char *name_of(const struct profile *p, uint32_t metric)
{
	return profile_text(p, p->metrics.at[metric].name);
}

static bool is_time(const struct profile *p, uint32_t metric)
{
	return !strcmp(profile_text(p, p->metrics.at[metric].unit), "ns");
}

static bool is_called(const struct profile *p, uint32_t metric, const char *name)
{
	if (strcmp(name, ON_CPU) != 0)
		return !strcmp(name_of(p, metric), name);
	return !strcmp(profile_text(p, p->metrics.at[metric].base), METRIC_ON_CPU);
}

static bool add_time(const struct profile *p, const char *name, struct measure *out)
{
	for (uint32_t i = 0; i < p->metrics.n; i++)
		if (is_time(p, i) && is_called(p, i, name)) {
			out->metric[out->n++] = i;
			return true;
		}
	return false;
}

/* Whether the profile has all that the sum is of. */
static bool add_up(const struct profile *p, const struct sum *sum, struct measure *out)
{
	bool all = true;

	*out = (struct measure){.name = sum->name, .unit = "ns"};
	for (size_t i = 0; i < sum->n && all; i++)
		all = add_time(p, sum->of[i], out);
	return all;
}

static bool find_sum(const struct profile *p, const char *name, struct measure *out)
{
	for (size_t i = 0; i < SUMS; i++)
		if (!strcmp(sums[i].name, name))
			return add_up(p, &sums[i], out);
	return false;
}

static void take_stored(const struct profile *p, uint32_t metric, struct measure *out)
{
	*out = (struct measure){.name = name_of(p, metric),
				.unit = profile_text(p, p->metrics.at[metric].unit),
				.metric = {metric},
				.n = 1};
}

bool measure_has(const struct profile *p, const char *name, struct measure *out)
{
	for (uint32_t i = 0; i < p->metrics.n; i++)
		if (!strcmp(name_of(p, i), name)) {
			take_stored(p, i, out);
			return true;
		}
	return find_sum(p, name, out);
}

/* "it has cpu-clock, blocked, runnable and their sums off-cpu, wall" */
static int not_found(const struct profile *p, const char *name)
{
	struct str names = {0};
	struct measure m;
	bool any = false;

	for (uint32_t i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].kind != METRIC_VARIANCE)
			str_addf(&names, "%s%s", names.n ? ", " : "", name_of(p, i));
	for (size_t i = 0; i < SUMS; i++) {
		if (!add_up(p, &sums[i], &m))
			continue;
		str_addf(&names, "%s%s", any ? ", " : " and the sums ", sums[i].name);
		any = true;
	}
	(void)err(-ENOENT, "the profile has no metric '%s': it has %s", name,
		  names.n ? str_text(&names) : "none");
	str_release(&names);
	return -ENOENT;
}

bool measure_is_exact(const struct profile *p, const struct measure *m)
{
	bool exact = m->n > 0;

	for (size_t i = 0; i < m->n; i++)
		exact &= p->metrics.at[m->metric[i]].exact;
	return exact;
}

bool measure_has_variance(const struct profile *p, const struct measure *m, uint32_t *metric)
{
	const char *name = m->n == 1 ? profile_text(p, p->metrics.at[m->metric[0]].variance) : "";

	for (uint32_t i = 0; i < p->metrics.n && *name; i++)
		if (!strcmp(name_of(p, i), name)) {
			*metric = i;
			return true;
		}
	return false;
}

bool measure_is_summed(const struct profile *p, const struct measure *m)
{
	uint32_t metric;

	return measure_is_exact(p, m) || measure_has_variance(p, m, &metric);
}

bool measure_is_level(const struct profile *p, const struct measure *m)
{
	return m->n == 1 && p->metrics.at[m->metric[0]].course == COURSE_LEVEL;
}

static bool has_values(const struct profile *p, uint32_t metric)
{
	const profile_values *values = &p->samples.values.at[metric];

	for (size_t i = 0; i < values->n; i++)
		if (values->at[i])
			return true;
	return false;
}

/* The first metric that has values; the first, if none has. */
static uint32_t first_metric(const struct profile *p)
{
	for (uint32_t m = 0; m < p->metrics.n; m++)
		if (has_values(p, m))
			return m;
	return 0;
}

int measure_find(const struct profile *p, const char *name, struct measure *out)
{
	const char *own = profile_run(p, RUN_METRIC);

	*out = (struct measure){.name = "", .unit = "ns"};
	if (name)
		return measure_has(p, name, out) ? 0 : not_found(p, name);
	if (!(own && measure_has(p, own, out)) && p->metrics.n)
		take_stored(p, first_metric(p), out);
	return 0;
}

char *measure_base(const struct profile *p, const struct measure *m)
{
	struct str text = {0};

	for (size_t i = 0; i < SUMS; i++)
		if (m->n > 1 && !strcmp(m->name, sums[i].name))
			return mem_strdup(sums[i].base);
	for (size_t i = 0; i < m->n; i++) {
		const char *base = profile_text(p, p->metrics.at[m->metric[i]].base);

		if (*base && text.n)
			str_add(&text, i + 1 < m->n ? ", " : " and ");
		str_add(&text, base);
	}
	return str_steal(&text);
}

bool measure_is_cpu_time(const struct profile *p, const struct measure *m)
{
	_free_ char *base = measure_base(p, m);

	if (*base)
		return !strcmp(base, METRIC_ON_CPU);
	/* In older profiles metrics have no base. */
	return m->unit && !strcmp(m->unit, "ns") &&
	       (str_starts(m->name, "cpu-clock") || str_starts(m->name, "task-clock"));
}
