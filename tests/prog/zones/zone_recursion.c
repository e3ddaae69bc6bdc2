// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/* zone_recursion ROUNDS: 10,000 frames deep, by one function and by two in turn; a tree of calls;
 * and each reads what it has on its stack on the way back. Status 14. */
#include "zone.h"

#define DEPTH 10000

FRAME uint64_t zr_deep(uint64_t n)
{
	volatile uint64_t kept = n * 7;

	return n ? zr_deep(n - 1) + kept : 1;
}

FRAME uint64_t zr_odd(uint64_t n);

FRAME uint64_t zr_even(uint64_t n)
{
	return n ? zr_odd(n - 1) * 3 + 1 : 1;
}

FRAME uint64_t zr_odd(uint64_t n)
{
	return n ? zr_even(n - 1) * 5 + 2 : 0;
}

FRAME uint64_t zr_fib(uint64_t n)
{
	return n < 2 ? n : zr_fib(n - 1) + zr_fib(n - 2);
}

int main(int argc, char **argv)
{
	rounds_open(argc, argv, 1, 2);
	while (rounds_next())
		rounds_result(zr_deep(DEPTH) + zr_even(DEPTH) + zr_fib(12));
	rounds_calls("zr_deep", DEPTH + 1);
	rounds_calls("zr_even", DEPTH / 2 + 1);
	rounds_calls("zr_odd", DEPTH / 2);
	rounds_calls("zr_fib", 465);
	return rounds_end(14);
}
