#include "export/lanes.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b, void *samples)
{
	const struct samples *s = samples;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t t = s->at[x].time_ns, u = s->at[y].time_ns;

	return t != u ? (t < u ? -1 : 1) : x < y ? -1 : x > y;
}

/* Captures write them in order mostly. */
static void sort(const struct samples *s, uint32_t *rows, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (by_time(&rows[i - 1], &rows[i], (void *)s) > 0) {
			qsort_r(rows, n, sizeof(*rows), by_time, (void *)s);
			return;
		}
	}
}

void lanes_build(const struct profile *p, struct lanes *out)
{
	const struct samples *s = &p->samples;

	*out = (struct lanes){.rows = mem_zalloc(s->n + 1, sizeof(*out->rows)),
			      .ends = mem_zalloc(p->threads.n + 2, sizeof(*out->ends)),
			      .n = p->threads.n};
	/* A counting sort: ends[] holds each thread's start until its rows are in. */
	for (size_t i = 0; i < s->n; i++)
		out->ends[s->at[i].thread + 1]++;
	for (size_t i = 0; i < out->n; i++)
		out->ends[i + 1] += out->ends[i];
	for (size_t i = 0; i < s->n; i++)
		out->rows[out->ends[s->at[i].thread]++] = (uint32_t)i;
	for (size_t i = 0; i < out->n; i++) {
		const size_t from = i ? out->ends[i - 1] : 0;

		sort(s, out->rows + from, out->ends[i] - from);
	}
}

void lanes_release(struct lanes *l)
{
	free(l->rows);
	free(l->ends);
	*l = (struct lanes){0};
}

struct lane lane_of(const struct lanes *l, size_t thread)
{
	const size_t from = thread ? l->ends[thread - 1] : 0;

	return (struct lane){l->rows + from, l->ends[thread] - from};
}

int64_t lane_sum(const struct profile *p, struct lane lane, uint32_t metric, size_t *samples)
{
	const int64_t *values = p->samples.values.at[metric].at;
	int64_t sum = 0;

	*samples = 0;
	for (size_t i = 0; i < lane.n; i++) {
		sum += values[lane.rows[i]];
		*samples += values[lane.rows[i]] != 0;
	}
	return sum;
}

char *lane_name(const struct profile *p, size_t thread, uint32_t metric)
{
	const struct thread *t = &p->threads.at[thread];
	const char *name = profile_text(p, t->name);
	_free_ char *which = t->tid ? mem_printf("%s %u", name, t->tid) : mem_strdup(name);

	if (p->metrics.n < 2)
		return mem_strdup(which);
	return mem_printf("%s (%s)", which, profile_text(p, p->metrics.at[metric].name));
}
