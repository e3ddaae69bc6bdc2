// cflags: -O2 -fno-builtin -fno-optimize-sibling-calls
/*
 * bench_heap DEPTH ALLOCATIONS: allocates and frees, with 64 blocks alive, from under DEPTH frames;
 * 0 allocations: until it is killed. Prints its CPU time.
 */
#include "prog.h"

#define LIVE 64

static void *live[LIVE];

FRAME uint64_t churn(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		void **at = &live[i * 2654435761u % LIVE];

		free(*at);
		*at = malloc(16 + i * 40503 % 500);
	}
	return n;
}

FRAME uint64_t under(unsigned depth, uint64_t n)
{
	volatile char room[16];

	room[0] = (char)depth;
	return (depth ? under(depth - 1, n) : churn(n)) + (unsigned char)room[0];
}

int main(int argc, char **argv)
{
	const unsigned depth = (unsigned)arg(argc, argv, 1, 10);
	const uint64_t n = (uint64_t)arg(argc, argv, 2, 100000);
	struct timespec cpu;

	do
		under(depth, n ? n : 1000);
	while (!n);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("cpu_ns=%ld\n", cpu.tv_sec * 1000000000L + cpu.tv_nsec);
	return 0;
}
