/* deep DEPTH SECONDS: spins in bottom, under DEPTH frames of down. */
#include "prog.h"

FRAME uint64_t bottom(double seconds)
{
	return spin_for(seconds);
}

FRAME uint64_t down(int depth, double seconds)
{
	return (depth > 1 ? down(depth - 1, seconds) : bottom(seconds)) + depth;
}

int main(int argc, char **argv)
{
	int depth = arg(argc, argv, 1, 100);

	down(depth, arg(argc, argv, 2, 2));
	printf("pid=%d depth=%d\n", getpid(), depth);
	return 0;
}
