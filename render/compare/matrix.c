#include "compare/matrix.h"

#include <math.h>

#include "query/spread.h"
#include "query/zone_rows.h"

#define NS_PER_S 1e9
#define JEFFREYS .5

void matrix_init(struct matrix *m, size_t n_runs)
{
	*m = (struct matrix){.n_runs = n_runs};
}

void matrix_release(struct matrix *m)
{
	for (size_t i = 0; i < m->rows.n; i++)
		free(m->rows.at[i].at);
	vec_release(&m->rows);
	map_release(&m->by_key);
}

struct matrix_row *matrix_row(struct matrix *m, enum row_kind kind, uint32_t subject)
{
	const uint32_t at = map_number(&m->by_key, (uint64_t)subject << 8 | kind, m->rows.n);
	struct matrix_row *row;

	if (at < m->rows.n)
		return &m->rows.at[at];
	row = vec_add(&m->rows);
	row->kind = kind;
	row->subject = subject;
	row->at = mem_zalloc(m->n_runs, sizeof(*row->at));
	for (size_t i = 0; i < m->n_runs; i++)
		row->at[i] = (struct seen){.log = NAN, .own = NAN, .over = 1};
	return row;
}

void seen_value(struct seen *s, double value)
{
	s->value = value;
	s->log = value > 0 ? log(value) : NAN;
}

void seen_sampled(struct seen *seen, const struct sampled *s, double value, double over,
		  double scale, bool share)
{
	const double unit = s->effective > 0 ? s->whole / s->effective : 0;
	const double x = unit > 0 ? value / unit : 0;
	const double rest = share ? fmax(1 - x / (s->effective + 1), 0) : 1;
	double log_of = (x + JEFFREYS) * unit * scale;

	if (share)
		log_of = (x + JEFFREYS) / (s->effective + 1);
	seen->value = value * scale;
	seen->log = log_of > 0 ? log(log_of) : NAN;
	seen->count = x;
	seen->noise = rest / (x + JEFFREYS);
	seen->over = over;
}

/* --- zones ------------------------------------------------------------------------------------ */

bool matrix_zones_are_net(const struct profile *const *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t z = 0; z < runs[i]->zones.n; z++)
			if (runs[i]->zones.at[z].counts &&
			    !(runs[i]->zones.at[z].flags & ZONE_COMPENSATED))
				return false;
	return true;
}

/* One zone of a run, or the sum over several functions of one name. */
struct sums {
	double total, self, calls, timed, calls_ns, square, margin;
};

static void add_zone(struct sums *s, const struct zone *z, bool net, bool of_threads)
{
	const double timed = of_threads ? (double)z->counts : (double)zone_timed(z);
	const double calls_ns = of_threads ? (double)z->total_ns : (double)z->calls_ns;

	net &= !of_threads;
	s->calls += (double)z->counts;
	s->timed += timed;
	s->total += net ? (double)z->comp_total_ns : (double)z->total_ns;
	s->self += (double)z->self_ns;
	s->calls_ns += net ? (double)z->comp_mean_ns * timed : calls_ns;
	/* Around 0, so that several functions add up. */
	s->square += z->m2 + (timed > 0 ? calls_ns * calls_ns / timed : 0);
	s->margin += net ? (double)z->mean_margin_ns * timed : 0;
}

/* The variance of the logarithm of the mean of @s: what follows from the number of calls and how
 * much they vary, and from the margin of the probes' cost. */
static double noise_of(const struct sums *s, double mean, double raw_mean)
{
	const double spread = s->square / s->timed - raw_mean * raw_mean;
	const double margin = s->margin / s->timed / SPREAD_SIGMAS;

	return fmax(spread, 0) / (s->timed * mean * mean) + margin * margin / (mean * mean);
}

static double whole_of(const struct sums *s, const struct profile *p, enum per per)
{
	if (per == PER_WORK)
		return s->timed > 0 ? s->calls_ns / s->timed : 0;
	if (per == PER_RUN)
		return s->total;
	return p->duration_ns > 0 ? s->total / ((double)p->duration_ns / NS_PER_S) : 0;
}

static void put_timed(struct matrix *m, uint32_t subject, size_t run, const struct sums *s,
		      const struct profile *p, enum per per)
{
	struct matrix_row *row = matrix_row(m, ROW_ZONE, subject);
	struct seen *seen = &row->at[run];
	const double floor = per == PER_WORK ? COMPARE_CLOCK_NS : COMPARE_CLOCK_NS * s->timed;

	seen_value(seen, whole_of(s, p, per));
	seen->own = s->self > 0 ? log(s->self / (per == PER_WORK ? s->timed : 1)) : NAN;
	seen->count = s->calls;
	seen->cost = s->timed > 0 ? s->calls_ns / s->timed : 0;
	seen->noise = seen->cost > 0 ? noise_of(s, seen->cost, s->calls_ns / s->timed) : 0;
	if (per != PER_SECOND)
		row->floor = fmax(row->floor, floor);
}

/* A zone that is only counted has a number of calls, and no value per call. */
static void put_counted(struct matrix *m, uint32_t subject, size_t run, const struct sums *s,
			const struct profile *p, enum per per)
{
	struct seen *seen;

	if (per == PER_WORK)
		return;
	seen = &matrix_row(m, ROW_CALLS, subject)->at[run];
	seen->count = s->calls;
	seen_value(seen, per == PER_RUN	      ? s->calls
			 : p->duration_ns > 0 ? s->calls / ((double)p->duration_ns / NS_PER_S)
					      : 0);
}

int matrix_add_zones(struct matrix *m, struct subjects *names, size_t run, const struct profile *p,
		     const struct selection *sel, enum per per, bool net)
{
	struct zone_rows rows;
	VEC(struct sums) sums = {0};
	VEC(uint32_t) order = {0};
	struct map place = {0};
	int rc = zone_rows_build(p, sel, &rows);

	for (size_t i = 0; !rc && i < rows.rows.n; i++) {
		const struct zone *z = &rows.rows.at[i].at;
		const uint32_t subject =
			subject_add(names, profile_text(p, p->modules.at[z->module].path),
				    profile_text(p, z->name), KIND_NATIVE, "");
		const uint32_t at = map_number(&place, subject, sums.n);

		if (at == sums.n) {
			vec_push(&order, subject);
			(void)vec_add(&sums);
		}
		add_zone(&sums.at[at], z, net, rows.of_threads);
	}
	for (size_t i = 0; i < sums.n; i++) {
		if (sums.at[i].timed > 0)
			put_timed(m, order.at[i], run, &sums.at[i], p, per);
		else if (sums.at[i].calls > 0)
			put_counted(m, order.at[i], run, &sums.at[i], p, per);
	}
	zone_rows_release(&rows);
	map_release(&place);
	vec_release(&sums);
	vec_release(&order);
	return rc;
}
