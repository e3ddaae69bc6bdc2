#include "compare/pairs.h"

#include <math.h>

#include "compare/judge.h"

/* Samples of a pair on each side. */
struct tally {
	double samples[SIDES];
};

struct pairs {
	struct map rows; /* by both subjects */
	VEC(struct tally) all;
};

static uint32_t number_of(struct pairs *p, const struct sampled_pair *pair)
{
	const uint32_t row =
		map_number(&p->rows, (uint64_t)pair->caller << 32 | pair->function, p->all.n);

	if (row == p->all.n)
		(void)vec_add(&p->all);
	return row;
}

static void pairs_build(struct pairs *p, const struct sampled *sampled, const size_t *n)
{
	*p = (struct pairs){0};
	for (size_t i = 0; i < n[BASE] + n[NEW]; i++) {
		const struct sampled *s = &sampled[i];

		vec_each (pair, &s->pairs) {
			const uint32_t row = number_of(p, pair);

			p->all.at[row].samples[i >= n[BASE]] +=
				pair->self / s->whole * s->effective;
		}
	}
}

static void pairs_release(struct pairs *p)
{
	map_release(&p->rows);
	vec_release(&p->all);
}

static bool can_tell(const struct tally *t)
{
	return t->samples[BASE] >= COMMON_SAMPLES && t->samples[NEW] >= COMMON_SAMPLES;
}

size_t pairs_count(const struct sampled *sampled, const size_t n[SIDES])
{
	struct pairs p;
	size_t count = 0;

	pairs_build(&p, sampled, n);
	vec_each (t, &p.all)
		count += can_tell(t);
	pairs_release(&p);
	return count;
}

/* A row for each pair that can tell; a run without samples of it has none. */
static void fill(struct pairs *p, const struct sampled *sampled, const size_t *n, struct matrix *m)
{
	for (size_t i = 0; i < n[BASE] + n[NEW]; i++) {
		const struct sampled *s = &sampled[i];

		for (uint32_t row = 0; row < p->all.n; row++)
			if (can_tell(&p->all.at[row]))
				seen_sampled(&matrix_row(m, ROW_SELF, row)->at[i], s, 0,
					     SLICES_OVER, 1, true);
		vec_each (pair, &s->pairs) {
			const uint32_t row = number_of(p, pair);

			if (can_tell(&p->all.at[row]))
				seen_sampled(&matrix_row(m, ROW_SELF, row)->at[i], s, pair->self,
					     pair->over, 1, true);
		}
	}
}

void pairs_vote(const struct comparison *c, const struct sampled *sampled, common_votes *out)
{
	const size_t *n = c->runs;
	_free_ struct judgement *all = NULL;
	_free_ uint32_t *rows = NULL;
	struct pairs p;
	struct matrix m;

	pairs_build(&p, sampled, n);
	matrix_init(&m, n[BASE] + n[NEW]);
	fill(&p, sampled, n, &m);
	rows = mem_zalloc(m.rows.n + 1, sizeof(*rows));
	all = mem_zalloc(m.rows.n + 1, sizeof(*all));
	for (size_t i = 0; i < m.rows.n; i++)
		rows[i] = (uint32_t)i;
	judge(&m, c->runs,
	      &(struct family){.rows = rows, .n = m.rows.n, .sampled = true, .between = c->between},
	      all);
	for (size_t i = 0; i < m.rows.n; i++)
		if (all[i].evidence.error > 0)
			vec_push(out, ((struct common_vote){all[i].evidence.difference,
							    all[i].evidence.error}));
	matrix_release(&m);
	pairs_release(&p);
}
