#include "model/zone.h"

#include <math.h>

double zone_m2(uint64_t n, uint64_t sum, zone_squares squares)
{
	zone_squares of_sum = (zone_squares)sum * sum, whole;

	if (!n)
		return 0;
	/* squares - of_sum / n, where the quotient is a whole number and a remainder. */
	whole = of_sum / n;
	if (squares <= whole)
		return 0;
	return (double)((long double)(squares - whole) - (long double)(of_sum % n) / n);
}

double zone_std(uint64_t n, double m2)
{
	return n > 1 ? sqrt(m2 / (double)(n - 1)) : 0;
}

#define DWARFED_TIMES 10 /* the probes' cost is so many times the net total */

bool zone_is_dwarfed(const struct zone *z)
{
	return z->flags & ZONE_COMPENSATED &&
	       (double)z->total_ns > (1 + DWARFED_TIMES) * (double)z->comp_total_ns;
}

static int64_t cut(uint64_t ns)
{
	return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

void zone_set_calls(struct zone *z, uint64_t timed, uint64_t sum, zone_squares squares, int64_t min,
		    int64_t max)
{
	z->calls_ns = cut(sum);
	z->mean_ns = timed ? cut(sum / timed) : 0;
	z->squares = (exact_sum)squares;
	z->m2 = zone_m2(timed, sum, squares);
	z->std_ns = zone_std(timed, z->m2);
	z->min_ns = timed ? min : 0;
	z->max_ns = timed ? max : 0;
}

void zone_set_self(struct zone *z, uint64_t timed, uint64_t sum, zone_squares squares, int64_t min,
		   int64_t max)
{
	z->self_ns = cut(sum);
	z->self_squares = (exact_sum)squares;
	z->self_m2 = zone_m2(timed, sum, squares);
	z->self_std_ns = zone_std(timed, z->self_m2);
	z->self_min_ns = timed ? min : 0;
	z->self_max_ns = timed ? max : 0;
	z->flags |= ZONE_SELF_SPREAD;
}
