#include "query/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/meta.h"
#include "model/waits.h"

/* --- hits ------------------------------------------------------------------------------------- */

/* The state of spread_new(). */
struct survey {
	const struct filter *filter;
	struct measure off; /* blocked and runnable; n 0: the filter's measure has neither */
	double period_ns;   /* 0: nothing is sampled by time */
	bool exact;	    /* nothing is sampled */
	bool counts;	    /* values are numbers of samples */
	bool varies;	    /* the values' variances are known … */
	uint32_t variance;  /* … as those of this metric */
	bool part_of_time;  /* is selected of a level's changes */
	bool weighted;	    /* the events that a sample stands for are the values of … */
	uint32_t weight;    /* … this metric */
	uint32_t *part_of;  /* per thread: its part; owned */
	size_t parts;
};

static bool is_in(const struct measure *m, uint32_t metric)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->metric[i] == metric)
			return true;
	return false;
}

/* Part 0 has all samples that are no waits. Entries of one thread under several names are one part.
 */
static void number_parts(struct survey *s, const struct profile *p)
{
	struct map known = {0};

	s->part_of = mem_zalloc(p->threads.n + 1, sizeof(*s->part_of));
	s->parts = 1;
	for (size_t i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.at[i];

		s->part_of[i] = map_number(&known, (uint64_t)t->pid << 32 | t->tid, s->parts);
		s->parts += s->part_of[i] == s->parts;
	}
	map_release(&known);
}

/* Whether the metric counts samples, as those of folded stacks and pprof's "samples" do. */
static bool counts_samples(const struct filter *f)
{
	const struct measure *m = &f->measure;

	return !strcmp(m->unit, "samples") ||
	       (m->n == 1 && !strcmp(m->name, "samples") &&
		f->profile->metrics.at[m->metric[0]].kind == METRIC_COUNT);
}

/* Whether samples of the measure stand for many events, each with so many of its own: of another
 * metric, in whose ledger they are, or if the measure is that one, of itself. */
static bool has_weights(const struct filter *f, uint32_t *weight)
{
	const struct profile *p = f->profile;
	const struct measure *m = &f->measure;

	if (m->n != 1)
		return false;
	*weight = profile_ledger_of(p, m->metric[0]);
	if (*weight < p->metrics.n && *weight != m->metric[0])
		return p->metrics.at[*weight].kind == METRIC_COUNT;
	for (uint32_t i = 0; i < p->metrics.n; i++)
		if (i != m->metric[0] && profile_ledger_of(p, i) == m->metric[0])
			return p->metrics.at[m->metric[0]].kind == METRIC_COUNT;
	return false;
}

static void survey_init(struct survey *s, const struct filter *f)
{
	const struct measure *m = &f->measure;

	*s = (struct survey){.filter = f,
			     .exact = profile_run(f->profile, RUN_EXACT) ||
				      measure_is_exact(f->profile, m),
			     .counts = counts_samples(f)};
	s->varies = measure_has_variance(f->profile, m, &s->variance);
	s->part_of_time = measure_is_level(f->profile, m) &&
			  (f->from_ns || f->to_ns < (uint64_t)f->profile->duration_ns);
	s->weighted = !s->exact && !s->varies && has_weights(f, &s->weight);
	if (f->profile->hz > 0 && m->n && !strcmp(m->unit, "ns"))
		s->period_ns = 1e9 / f->profile->hz;
	if (!measure_has(f->profile, METRIC_OFF_CPU, &s->off) ||
	    !(is_in(m, s->off.metric[0]) || is_in(m, s->off.metric[s->off.n - 1])))
		s->off.n = 0;
	number_parts(s, f->profile);
}

/* The value that a sample's hits stand for: of a wait its blocked and runnable time together. */
static int64_t whole_of(const struct survey *s, size_t row)
{
	const int64_t off = measure_value(s->filter->profile, &s->off, row);

	return off ? off : measure_value(s->filter->profile, &s->filter->measure, row);
}

static bool is_wait(const struct profile *p, size_t row)
{
	return p->samples.at[row].wait_ns || p->samples.at[row].reason;
}

static double chance(double periods)
{
	const double f = periods - floor(periods);

	return periods < 1 ? 1 - f : f * (1 - f);
}

/* How many hits the sample stands for; of a metric that counts samples its value. */
static double hits_of(const struct survey *s, double whole)
{
	if (s->period_ns > 0)
		return fmax(1, round(whole / s->period_ns));
	return s->filter->measure.n && s->counts ? whole : 1;
}

static double chance_of(const struct survey *s, size_t row, double whole, double hits)
{
	const struct profile *p = s->filter->profile;
	const struct measure *m = &s->filter->measure;
	const double wait_ns = (double)p->samples.at[row].wait_ns;

	if (s->exact)
		return 0;
	if (wait_ns > 0)
		return wait_ns == whole || s->period_ns <= 0 ? 0 : chance(wait_ns / s->period_ns);
	if (s->counts)
		return hits;
	if (p->metrics.at[m->metric[0]].kind == METRIC_COUNT && whole == 1)
		return 0;
	return hits < 2 ? 1 : 0.25;
}

static struct spread_hit varied_hit(const struct survey *s, size_t row)
{
	const double variance = (double)s->filter->profile->samples.values.at[s->variance].at[row];

	return (struct spread_hit){.row = (uint32_t)row,
				   .x = filter_takes(s->filter, row) ? (float)sqrt(fabs(variance))
								     : 0,
				   .c = variance < 0 && !s->part_of_time ? -1 : 1};
}

/* How many events the sample stands for. */
static double weight_of(const struct survey *s, size_t row)
{
	return (double)s->filter->profile->samples.values.at[s->weight].at[row];
}

static struct spread_hit weighted_hit(const struct survey *s, size_t row, struct spread_part *of)
{
	const double weight = fmax(1, weight_of(s, row)), c = weight * (weight - 1);
	const double value = (double)measure_value(s->filter->profile, &s->filter->measure, row);

	of->value += value;
	of->square += c * value / weight * value / weight;
	return (struct spread_hit){.row = (uint32_t)row,
				   .x = (float)((double)filter_value(s->filter, row) / weight),
				   .c = (float)c,
				   .weight = (float)weight};
}

static struct spread_hit hit_of(const struct survey *s, size_t row)
{
	const double whole = (double)whole_of(s, row), hits = hits_of(s, whole);

	return (struct spread_hit){.row = (uint32_t)row,
				   .x = (float)((double)filter_value(s->filter, row) / hits),
				   .c = (float)chance_of(s, row, whole, hits)};
}

static bool is_hit(const struct survey *s, size_t row)
{
	if (s->varies)
		return s->filter->profile->samples.values.at[s->variance].at[row] != 0;
	return s->weighted ? weight_of(s, row) > 0 : whole_of(s, row) != 0;
}

/* A counting sort by part: `end` holds each part's start until its hits are in. */
static void sort_hits(const struct survey *s, struct spread *out)
{
	const struct profile *p = s->filter->profile;
	const size_t rows = p->samples.n;
	_free_ uint32_t *part = mem_zalloc(rows + 1, sizeof(*part));

	for (size_t i = 0; i < rows; i++) {
		part[i] = is_wait(p, i) ? s->part_of[p->samples.at[i].thread] : 0;
		if (is_hit(s, i) && part[i] + 1 < s->parts)
			out->parts[part[i] + 1].end++;
	}
	for (size_t i = 1; i < s->parts; i++)
		out->parts[i].end += out->parts[i - 1].end;
	for (size_t i = 0; i < rows; i++) {
		struct spread_part *of = &out->parts[part[i]];

		if (!is_hit(s, i))
			continue;
		out->hits[of->end] = s->varies	   ? varied_hit(s, i)
				     : s->weighted ? weighted_hit(s, i, of)
						   : hit_of(s, i);
		of->c += s->varies ? INFINITY : (double)out->hits[of->end].c;
		of->end++;
	}
}

/* --- the number of hits ------------------------------------------------------------------------
 */

/* Per part: time off the CPU of its thread, as far as it is known. */
static double *times_of(const struct survey *s)
{
	const struct profile *p = s->filter->profile;
	double *out = mem_zalloc(s->parts, sizeof(*out));

	for (size_t i = 0; s->off.n && i < p->thread_waits.n; i++) {
		const struct thread_wait *w = &p->thread_waits.at[i];

		out[s->part_of[w->thread]] += (double)(w->blocked_ns + w->runnable_ns);
	}
	return out;
}

static void count_hits(const struct survey *s, struct spread *out)
{
	_free_ double *times = times_of(s);

	for (size_t i = 0; i < s->parts; i++) {
		struct spread_part *part = &out->parts[i];
		const size_t n = part->end - (i ? out->parts[i - 1].end : 0);

		if (times[i] > 0 && times[i] < s->period_ns)
			part->one = 1 - times[i] / s->period_ns;
		else if (!s->weighted)
			part->one = n < 2 && times[i] <= 0 ? 1 : 0.25;
	}
}

struct spread *spread_new(const struct filter *f)
{
	struct spread *out = mem_zalloc(1, sizeof(*out));
	struct survey s;

	survey_init(&s, f);
	out->n_parts = s.parts;
	out->parts = mem_zalloc(s.parts, sizeof(*out->parts));
	out->hits = mem_zalloc(f->profile->samples.n + 1, sizeof(*out->hits));
	if (f->measure.n) {
		sort_hits(&s, out);
		count_hits(&s, out);
	}
	free(s.part_of);
	return out;
}

void spread_free(struct spread *s)
{
	if (!s)
		return;
	free(s->hits);
	free(s->parts);
	free(s);
}

/* --- sums ------------------------------------------------------------------------------------- */

struct sums {
	double first, second; /* of c x and of c x^2 */
	double value;	      /* of w x */
};

struct spread_sums {
	struct sums *of_key, *of_group;
	VEC(uint32_t) keys, groups; /* those that are not 0 */
	struct sums now;	    /* of the key that is being put */
	uint32_t steps;
};

static void sums_add(struct sums *to, const struct sums *more)
{
	to->first += more->first;
	to->second += more->second;
	to->value += more->value;
}

static bool is_none(const struct sums *s)
{
	return !s->first && !s->second && !s->value;
}

void spread_put(struct spread_sums *s, uint32_t group)
{
	if (is_none(&s->of_group[group]))
		vec_push(&s->groups, group);
	sums_add(&s->of_group[group], &s->now);
}

bool spread_step(struct spread_sums *s)
{
	s->steps += s->steps < SPREAD_STEPS;
	return s->steps < SPREAD_STEPS;
}

static void add_hit(struct spread_sums *s, uint32_t key, const struct spread_hit *h)
{
	const double x = h->x, c = h->c;
	const struct sums one = {c * x, c * x * x, (double)h->weight * x};

	if (is_none(&one))
		return;
	if (is_none(&s->of_key[key]))
		vec_push(&s->keys, key);
	sums_add(&s->of_key[key], &one);
}

/* Sorts the keys where that is cheap: keys close to each other share groups, which then are in the
 * processor's caches. */
static void order_keys(struct spread_sums *s, size_t keys)
{
	if (s->keys.n < keys / 16)
		return;
	s->keys.n = 0;
	for (size_t i = 0; i < keys; i++)
		if (!is_none(&s->of_key[i]))
			s->keys.at[s->keys.n++] = (uint32_t)i;
}

static void put_keys(struct spread_sums *s, const struct spread_by *by)
{
	order_keys(s, by->keys);
	for (size_t i = 0; i < s->keys.n && s->steps < SPREAD_STEPS; i++) {
		const uint32_t key = s->keys.at[i];

		s->now = s->of_key[key];
		s->of_key[key] = (struct sums){0};
		if (by->put)
			by->put(s, key, by->of);
		else
			spread_put(s, key);
	}
	s->keys.n = 0;
}

static void take_variances(struct spread_sums *s, const struct spread_part *part, double *out)
{
	for (size_t i = 0; i < s->groups.n; i++) {
		struct sums *g = &s->of_group[s->groups.at[i]];
		const double mean = part->c > 0 ? g->first / part->c : 0;
		const double share = part->value > 0 ? g->value / part->value : 0;

		if (part->value > 0)
			out[s->groups.at[i]] +=
				fmax(0, g->second * (1 - 2 * share) + share * share * part->square);
		else
			out[s->groups.at[i]] +=
				fmax(0, g->second - g->first * mean) + mean * mean * part->one;
		*g = (struct sums){0};
	}
	s->groups.n = 0;
}

double *spread_margins(const struct spread *spread, const struct spread_by *by)
{
	double *out = mem_zalloc(by->groups + 1, sizeof(*out));
	struct spread_sums s = {.of_key = mem_zalloc(by->keys + 1, sizeof(*s.of_key)),
				.of_group = mem_zalloc(by->groups + 1, sizeof(*s.of_group))};

	for (size_t i = 0, at = 0; spread && i < spread->n_parts && s.steps < SPREAD_STEPS; i++) {
		const struct spread_part *part = &spread->parts[i];

		for (; at < part->end; at++)
			add_hit(&s, by->key[spread->hits[at].row], &spread->hits[at]);
		put_keys(&s, by);
		take_variances(&s, part, out);
	}
	for (size_t i = 0; i < by->groups; i++)
		out[i] = s.steps < SPREAD_STEPS ? SPREAD_SIGMAS * sqrt(out[i]) : NAN;
	vec_release(&s.keys);
	vec_release(&s.groups);
	free(s.of_key);
	free(s.of_group);
	return out;
}

double *spread_of_rows(const struct filter *f, const struct spread *known, const uint32_t *key,
		       size_t groups)
{
	const struct spread_by by = {.key = key, .keys = groups, .groups = groups};
	struct spread *own = known ? NULL : spread_new(f);
	double *out = spread_margins(known ? known : own, &by);

	spread_free(own);
	return out;
}
