/* spin SECONDS [STATUS]: all of its time in spin_here; ends with STATUS. */
#include "prog.h"

FRAME uint64_t spin_here(uint64_t x)
{
	return turns(x, 100000);
}

int main(int argc, char **argv)
{
	double end = cpu_s() + arg(argc, argv, 1, 10);
	uint64_t x = 1, rounds = 0;

	while (cpu_s() < end)
		for (int i = 0; i < 10; i++, rounds++)
			x = spin_here(x);
	printf("pid=%d rounds=%lu\n", getpid(), rounds);
	return arg(argc, argv, 2, 0);
}
