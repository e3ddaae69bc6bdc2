/* Types of samples of a pprof file: metrics; and its times. */
#include "import/pprof_state.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "model/meta.h"

static const struct unit {
	const char *word, *unit;
	int64_t scale;
} units[] = {
	{"nanoseconds", "ns", 1},	 {"microseconds", "ns", 1000},
	{"milliseconds", "ns", 1000000}, {"seconds", "ns", 1000000000},
	{"count", "events", 1},
};

static struct unit unit_of(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].word, word))
			return units[i];
	return (struct unit){word, *word ? word : "events", 1};
}

static int read_type(struct pprof *f, size_t i)
{
	const char *name = pprof_string(f, f->m->sample_type[i]->type);
	const char *word = pprof_string(f, f->m->sample_type[i]->unit);
	struct unit unit;
	bool time;

	if (!name || !word)
		return -EINVAL;
	unit = unit_of(word);
	time = !strcmp(unit.unit, "ns");
	f->types[i].scale = unit.scale;
	f->types[i].metric =
		builder_metric(f->b, *name ? name : "value", unit.unit,
			       strcmp(unit.unit, "events") ? METRIC_SUM : METRIC_COUNT);
	if (time && (!strcmp(name, "cpu") || !strcmp(name, "cpu-clock")))
		f->b->metrics.at[f->types[i].metric].base =
			builder_text(f->b, METRIC_ON_CPU, strlen(METRIC_ON_CPU));
	if (!strcmp(name, "samples") && f->count == f->m->n_sample_type)
		f->count = i;
	return 0;
}

int pprof_read_types(struct pprof *f)
{
	const Pprof__Profile *m = f->m;
	const char *main;
	int rc = 0;

	if (!m->n_sample_type || m->n_sample_type > PPROF_TYPES_MOST)
		return err(-EINVAL, "'%s' is no sound pprof profile: it has %zu types of samples",
			   f->name, m->n_sample_type);
	f->count = m->n_sample_type;
	for (size_t i = 0; !rc && i < m->n_sample_type; i++)
		rc = read_type(f, i);
	/* Where it names none, pprof opens with the last. */
	main = m->default_sample_type ? pprof_string(f, m->default_sample_type)
				      : pprof_string(f, m->sample_type[m->n_sample_type - 1]->type);
	if (rc || !main)
		return -EINVAL;
	profile_set_run(f->b->profile, RUN_METRIC, *main ? main : "value");
	return 0;
}

int pprof_read_times(struct pprof *f)
{
	const Pprof__Profile *m = f->m;
	struct profile *p = f->b->profile;
	const char *unit = m->period_type ? pprof_string(f, m->period_type->unit) : "";
	char when[UNITS_BUF];

	if (!unit)
		return -EINVAL;
	if (m->time_nanos > 0) {
		p->started_unix_ns = m->time_nanos;
		profile_set_meta(p, META_TIMESTAMP, units_time(when, sizeof(when), m->time_nanos));
	}
	if (m->duration_nanos > 0)
		f->b->duration_ns = builder_sum(f->b->duration_ns, m->duration_nanos);
	if (m->period > 0 && !strcmp(unit_of(unit).unit, "ns"))
		p->hz = 1e9 / ((double)m->period * (double)unit_of(unit).scale);
	return 0;
}
