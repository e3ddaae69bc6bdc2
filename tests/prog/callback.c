// cflags: -O2 -fomit-frame-pointer
/* callback SECONDS: spins in compare, which libc's qsort calls for sort_all, for main. */
#include "prog.h"

static uint64_t kept;

FRAME int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	kept += turns(kept, 2000);
	return (x > y) - (x < y);
}

FRAME uint64_t sort_all(int *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		numbers[i] = (int)(i * 2654435761u % 1021);
	qsort(numbers, n, sizeof(*numbers), compare);
	return numbers[0] + 1;
}

int main(int argc, char **argv)
{
	double end = cpu_s() + arg(argc, argv, 1, 2);
	int numbers[100];
	uint64_t sum = 0;

	while (cpu_s() < end)
		sum += sort_all(numbers, 100);
	printf("pid=%d sum=%lu\n", getpid(), sum);
	return 0;
}
