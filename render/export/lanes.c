#include "export/lanes.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b, void *samples)
{
	const struct samples *s = samples;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t t = s->at[x].time_ns, u = s->at[y].time_ns;

	return order_up(t, u) ?: order_up(x, y);
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
	out->n = p->threads.n;
	out->rows = vec_order(&p->samples, thread, out->n, &out->ends);
	for (size_t i = 0, from = 0; i < out->n; from = out->ends[i++])
		sort(&p->samples, out->rows + from, out->ends[i] - from);
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

/* Functions, outermost first, of the deepest stack at most. */
struct path {
	uint32_t *at;
	size_t n;
};

struct walk {
	const struct profile *p;
	slices_change *change;
	void *data;
	struct path open, next;
	uint64_t end_ns; /* of the open ones */
	uint64_t length; /* that the last sample stands for */
};

#define PERIOD_NONE 10000000 /* ns: a sample of an event that has no time between two of them */

static uint64_t length_of(const struct profile *p, size_t row)
{
	uint64_t ns = 0;

	for (size_t m = 0; m < p->metrics.n; m++) {
		const int64_t value = p->samples.values.at[m].at[row];

		if (value > 0 && !strcmp(profile_text(p, p->metrics.at[m].unit), "ns"))
			ns += (uint64_t)value;
	}
	return ns ? ns : p->hz >= 1 && p->hz <= 1e9 ? (uint64_t)(1e9 / p->hz) : PERIOD_NONE;
}

static void read_path(const struct profile *p, uint32_t node, struct path *path)
{
	path->n = 0;
	for (; node; node = p->nodes.at[node].parent) {
		const uint32_t function = p->frames.at[p->nodes.at[node].frame].function;

		if (function)
			path->at[path->n++] = function;
	}
	for (size_t i = 0; i < path->n / 2; i++) {
		const uint32_t outer = path->at[path->n - 1 - i];

		path->at[path->n - 1 - i] = path->at[i];
		path->at[i] = outer;
	}
}

/* Ends all but the outermost @keep. */
static void end(struct walk *w, size_t keep, uint64_t time_ns)
{
	for (; w->open.n > keep; w->open.n--)
		w->change(w->data, time_ns, 0);
}

static void go_on(struct walk *w, uint64_t time_ns)
{
	const struct path last = w->open;
	size_t same = 0;

	if (time_ns > w->end_ns && time_ns - w->end_ns > w->length)
		end(w, 0, w->end_ns);
	while (same < w->open.n && same < w->next.n && w->open.at[same] == w->next.at[same])
		same++;
	end(w, same, time_ns);
	for (size_t i = same; i < w->next.n; i++)
		w->change(w->data, time_ns, w->next.at[i]);
	w->open = w->next;
	w->next.at = last.at;
}

void slices_walk(const struct profile *p, struct lane lane, slices_change *change, void *data)
{
	_free_ uint32_t *one = mem_zalloc(p->nodes.n, sizeof(*one));
	_free_ uint32_t *other = mem_zalloc(p->nodes.n, sizeof(*other));
	struct walk w = {p, change, data, .open = {one, 0}, .next = {other, 0}};

	for (size_t i = 0; i < lane.n; i++) {
		const uint32_t row = lane.rows[i];
		const uint64_t time_ns = p->samples.at[row].time_ns;

		if (!sample_has_value(&p->samples, row))
			continue;
		read_path(p, p->samples.at[row].node, &w.next);
		go_on(&w, time_ns);
		w.length = length_of(p, row);
		w.end_ns = time_ns <= INT64_MAX - w.length ? time_ns + w.length : time_ns;
	}
	end(&w, 0, w.end_ns);
}
