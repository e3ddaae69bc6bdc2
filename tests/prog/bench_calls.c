// cflags: -O2 -fomit-frame-pointer
/*
 * bench_calls ROUNDS CALLS FUNCTION…: what a call of each FUNCTION costs, for tools/bench:
 * bc_pushI, whose first instruction the kernel emulates under a probe; bc_plainI, which it can only
 * step; I from 0 to 9; free, of the C library, with a malloc before it. In each round each function
 * in turn is called CALLS times and three times as often: all meet the same noise, and the
 * difference of the two holds nothing but calls.
 *
 * It stops itself first, so that probes can come; SIGCONT lets it go on. Prints for each function
 * its CPU time a call, the median of all rounds, and how often it was called.
 */
#include <string.h>

#include "prog.h"

#define MOST_FUNCTIONS 10
#define MOST_ROUNDS    10000

typedef uint64_t function(uint64_t);

#define PUSH(i)                                                            \
	FRAME __attribute__((aligned(64))) uint64_t bc_push##i(uint64_t x) \
	{                                                                  \
		__asm__ volatile("" : : : "rbx");                          \
		return x * 3 + i;                                          \
	}
#define PLAIN(i)                                                            \
	FRAME __attribute__((aligned(64))) uint64_t bc_plain##i(uint64_t x) \
	{                                                                   \
		return x * 3 + i;                                           \
	}
#define TEN(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9)
TEN(PUSH)
TEN(PLAIN)

static uint64_t pair(uint64_t x)
{
	void *p = malloc(64);

	__asm__ volatile("" : "+r"(p)); /* or the compiler leaves both out */
	free(p);
	return x;
}

#define NAMED(name)    {#name, name},
#define NAMED_PUSH(i)  NAMED(bc_push##i)
#define NAMED_PLAIN(i) NAMED(bc_plain##i)
static const struct {
	const char *name;
	function *call;
} functions[] = {TEN(NAMED_PUSH) TEN(NAMED_PLAIN){"free", pair}};

static struct series {
	const char *name;
	function *call;
	long calls;
	double took[2][MOST_ROUNDS]; /* ns of a round, by length */
} all[MOST_FUNCTIONS];

static double time_ns(struct series *s, long n)
{
	double start = cpu_s();
	uint64_t x = 1;

	for (long i = 0; i < n; i++)
		x = s->call(x);
	s->calls += n;
	__asm__ volatile("" : : "r"(x));
	return (cpu_s() - start) * 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

static int find(const char *name, struct series *out)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (strcmp(functions[i].name, name) != 0)
			continue;
		out->name = name;
		out->call = functions[i].call;
		return 0;
	}
	fprintf(stderr, "bench_calls: no function '%s'\n", name);
	return -1;
}

int main(int argc, char **argv)
{
	long rounds = arg(argc, argv, 1, 1), n = arg(argc, argv, 2, 1000);
	int wanted = argc - 3;

	if (wanted < 1 || wanted > MOST_FUNCTIONS || rounds < 1 || rounds > MOST_ROUNDS)
		return 2;
	for (int i = 0; i < wanted; i++)
		if (find(argv[3 + i], &all[i]))
			return 2;
	raise(SIGSTOP);
	for (long round = 0; round < rounds; round++) {
		for (int i = 0; i < wanted; i++) {
			all[i].took[0][round] = time_ns(&all[i], n);
			all[i].took[1][round] = time_ns(&all[i], 3 * n);
		}
	}
	for (int i = 0; i < wanted; i++) {
		double more = median(all[i].took[1], rounds) - median(all[i].took[0], rounds);

		printf("%s ns=%.2f calls=%ld\n", all[i].name, more / (2.0 * n), all[i].calls);
	}
	return 0;
}
