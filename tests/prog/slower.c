/* slower PERCENT [ROUNDS]: a fixed amount of work in three functions, of which gamma_part() does so
 * many percent more than it should: 40, 30 and 30 parts of the work where PERCENT is 0. For
 * comparisons: whatever else differs between two runs, it is not the work of the others. A round is
 * long compared with the time between two samples, or they would hit the same part each time. */
#include "prog.h"

FRAME uint64_t alpha_part(uint64_t x)
{
	return turns(x, 6400000);
}

FRAME uint64_t beta_part(uint64_t x)
{
	return turns(x, 4800000);
}

FRAME uint64_t gamma_part(uint64_t x, uint64_t percent)
{
	return turns(x, 48000 * (100 + percent));
}

int main(int argc, char **argv)
{
	const uint64_t percent = (uint64_t)arg(argc, argv, 1, 0);
	uint64_t x = 1;

	for (int left = (int)arg(argc, argv, 2, 60); left > 0; left--)
		x = gamma_part(beta_part(alpha_part(x)), percent);
	printf("x=%lu\n", x);
	return 0;
}
