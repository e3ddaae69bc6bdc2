#include "perf/fair.h"

#include <stdlib.h>

#include "base/mem.h"

struct one {
	uint64_t count; /* at its last turn */
	double owed;	/* in turns */
};

struct fair {
	int n;
	uint64_t sum;
	struct one at[];
};

struct fair *fair_new(int n)
{
	struct fair *f = mem_zalloc(1, sizeof(*f) + (size_t)n * sizeof(f->at[0]));

	f->n = n;
	return f;
}

void fair_free(struct fair *f)
{
	free(f);
}

int fair_turn(struct fair *f, const uint64_t *counts)
{
	uint64_t sum = 0, more;
	int turn = 0;

	for (int i = 0; i < f->n; i++)
		sum += counts[i];
	more = sum - f->sum;
	if (!more)
		return -1;
	for (int i = 0; i < f->n; i++) {
		struct one *one = &f->at[i];

		one->owed += (double)(counts[i] - one->count) / (double)more;
		one->count = counts[i];
		if (one->owed > f->at[turn].owed)
			turn = i;
	}
	f->at[turn].owed -= 1;
	f->sum = sum;
	return turn;
}

uint64_t fair_sum(const struct fair *f)
{
	return f->sum;
}
