/* What was live when a program's memory was highest does not add up over captures, which peaked at
 * different times: of all captures the highest peak is that of the merge. */
#include <string.h>

#include "merge/merge_state.h"

#define NONE UINT32_MAX

/* The metric by which peaks are compared: the first that is one. */
static uint32_t peak_metric(const struct profile *p)
{
	for (uint32_t i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].course == COURSE_PEAK && p->metrics.at[i].kind == METRIC_SUM)
			return i;
	return NONE;
}

/* Windows of one capture have one run: theirs add up. */
static uint32_t run_of(const struct merge *m, size_t sample)
{
	return m->p->origins.at[m->origin[TABLE_samples].at[sample]].run;
}

typedef VEC(int64_t) peaks;

/* The run with the highest peak; of several the one whose name comes first. */
static uint32_t highest(const struct merge *m, uint32_t metric)
{
	const struct profile *p = m->p;
	const profile_values *values = &p->samples.values.at[metric];
	struct map rows = {0};
	merge_numbers runs = {0};
	peaks sums = {0};
	size_t best = 0;
	uint32_t run = NONE;

	for (size_t i = 0; i < p->samples.n; i++) {
		const uint32_t at = map_number(&rows, run_of(m, i), runs.n);

		if (at == runs.n) {
			vec_push(&runs, run_of(m, i));
			vec_push(&sums, 0);
		}
		sums.at[at] += values->at[i];
	}
	for (size_t i = 1; i < runs.n; i++)
		if (sums.at[i] > sums.at[best] ||
		    (sums.at[i] == sums.at[best] &&
		     strcmp(profile_text(p, runs.at[i]), profile_text(p, runs.at[best])) < 0))
			best = i;
	run = runs.n ? runs.at[best] : NONE;
	map_release(&rows);
	vec_release(&runs);
	vec_release(&sums);
	return run;
}

void merge_keep_highest_peak(struct merge *m)
{
	struct profile *p = m->p;
	const uint32_t metric = peak_metric(p), run = metric == NONE ? NONE : highest(m, metric);

	for (uint32_t k = 0; k < p->metrics.n && run != NONE; k++) {
		if (p->metrics.at[k].course != COURSE_PEAK)
			continue;
		for (size_t i = 0; i < p->samples.n; i++)
			if (run_of(m, i) != run)
				p->samples.values.at[k].at[i] = 0;
	}
}
