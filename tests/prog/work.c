/* work MILLIONS: a fixed amount of work; what CPU time it took is what disturbed it. */
#include "prog.h"

FRAME uint64_t work_here(uint64_t x)
{
	return turns(x, 1000000);
}

int main(int argc, char **argv)
{
	double start = cpu_s();
	uint64_t x = 1;

	for (int left = (int)arg(argc, argv, 1, 100); left > 0; left--)
		x = work_here(x);
	printf("cpu_s=%.6f x=%lu\n", cpu_s() - start, x);
	return 0;
}
