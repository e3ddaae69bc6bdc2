// cflags: -O2 -fomit-frame-pointer
/*
 * zone_chosen ROUNDS: calls a function of which there are two, of which one is chosen when the
 * program starts (an IFUNC), and says how often each was called; status 42.
 */
#include "zone.h"

uint64_t zn_chosen(uint64_t x);

FRAME uint64_t zn_plain(uint64_t x)
{
	return x * 5 + 1;
}

FRAME uint64_t zn_fast(uint64_t x)
{
	return x + (x << 2) + 1;
}

/* Runs before anything is relocated. */
static void *choose(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") ? zn_fast : zn_plain;
}

uint64_t zn_chosen(uint64_t x) __attribute__((ifunc("choose")));

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	rounds_open(argc, argv, 1, 1);
	while (rounds_next()) {
		for (uint64_t i = 0; i < 3000; i++)
			sum = zn_chosen(i + sum % 7);
		rounds_result(sum);
		sum = 0;
	}
	rounds_calls("zn_fast", 3000);
	rounds_calls("zn_plain", 0);
	return rounds_end(42);
}
