/*
 * inlined SECONDS: computes in inlined_inner, inlined into inlined_outer, inlined into holder, at
 * lines that the test knows.
 */
#include "prog.h"

static inline __attribute__((always_inline)) uint64_t inlined_inner(uint64_t n)
{
	return turns(n, 100000); /* line 9 */
}

static inline __attribute__((always_inline)) uint64_t inlined_outer(uint64_t n)
{
	return inlined_inner(n) + 3; /* line 14 */
}

FRAME uint64_t holder(uint64_t n)
{
	return inlined_outer(n) + 1; /* line 19 */
}

int main(int argc, char **argv)
{
	const double end = cpu_s() + arg(argc, argv, 1, 1);
	uint64_t x = 0;

	while (cpu_s() < end)
		x += holder(x);
	return x == 42;
}
