// cflags: -O2 -fomit-frame-pointer -foptimize-sibling-calls
/*
 * zone_tail ROUNDS: functions that leave by a jump: to each other 5,000 times in a row, through a
 * table of functions, on a condition, into libc, and with more arguments than registers hold.
 * Status 15.
 */
#include <string.h>

#include "zone.h"

#define STEPS 5000

FRAME uint64_t zt_pong(uint64_t n, uint64_t x);

FRAME uint64_t zt_ping(uint64_t n, uint64_t x)
{
	return n ? zt_pong(n - 1, x * 3 + 1) : x;
}

FRAME uint64_t zt_pong(uint64_t n, uint64_t x)
{
	return n ? zt_ping(n - 1, x ^ n) : x + 1;
}

/* As an interpreter's instructions go on to each other. */
typedef uint64_t op(const uint8_t *code, uint64_t x);
FRAME op zt_add, zt_mul, zt_end;
static op *const ops[] = {zt_end, zt_add, zt_mul};

FRAME uint64_t zt_add(const uint8_t *code, uint64_t x)
{
	return ops[*code](code + 1, x + 7);
}

FRAME uint64_t zt_mul(const uint8_t *code, uint64_t x)
{
	return ops[*code](code + 1, x * 5);
}

FRAME uint64_t zt_end(const uint8_t *code, uint64_t x)
{
	return x + code[-1];
}

FRAME uint64_t zt_slow(uint64_t x)
{
	return turns(x, 5);
}

/* Mostly returns; sometimes its last jump is a conditional one. */
FRAME uint64_t zt_maybe(uint64_t x)
{
	if (__builtin_expect(x % 4 == 0, 0))
		return zt_slow(x);
	return x * 9;
}

FRAME size_t zt_length(const char *text)
{
	return strlen(text);
}

FRAME uint64_t zt_eight(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			uint64_t g, uint64_t h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

FRAME uint64_t zt_swapped(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			  uint64_t g, uint64_t h)
{
	return zt_eight(b, a, d, c, f, e, h, g);
}

int main(int argc, char **argv)
{
	static uint8_t code[401];

	for (int i = 0; i < 400; i++)
		code[i] = 1 + i % 3 % 2;
	rounds_open(argc, argv, 1, 10);
	while (rounds_next()) {
		uint64_t sum = zt_ping(STEPS, 1) + zt_add(code, 3) + zt_length("four");

		for (int i = 0; i < 40; i++)
			sum = sum * 31 + zt_maybe(i) + zt_swapped(i, 2, 3, 4, 5, 6, sum, 8);
		rounds_result(sum);
	}
	rounds_calls("zt_ping", STEPS / 2 + 1);
	rounds_calls("zt_pong", STEPS / 2);
	rounds_calls("zt_add", 1 + 267);
	rounds_calls("zt_mul", 133);
	rounds_calls("zt_end", 1);
	rounds_calls("zt_maybe", 40);
	rounds_calls("zt_slow", 10);
	rounds_calls("zt_length", 1);
	rounds_calls("zt_swapped", 40);
	rounds_calls("zt_eight", 40);
	return rounds_end(15);
}
