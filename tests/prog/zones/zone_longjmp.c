// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_longjmp ROUNDS: longjmp and siglongjmp over 1 to 40 frames, out of some that jump again, and
 * into a frame that is used many times. Status 13.
 */
#include <setjmp.h>

#include "zone.h"

static jmp_buf outer;
static sigjmp_buf inner;
static uint64_t sum;

FRAME void zl_leave(int how, int value)
{
	sum = sum * 31 + value;
	if (how)
		longjmp(outer, value + 1);
	siglongjmp(inner, value + 1);
}

FRAME uint64_t zl_down(int depth, int how, int value)
{
	if (!depth)
		zl_leave(how, value);
	return zl_down(depth - 1, how, value) + 1;
}

/* Comes back by siglongjmp, and goes on by longjmp. */
FRAME int zl_twice(int depth, int value)
{
	int back = sigsetjmp(inner, 1);

	if (!back)
		zl_down(depth, 0, value);
	zl_down(depth, 1, back);
	return 0;
}

FRAME int zl_catch(int depth)
{
	int back = setjmp(outer);

	return back ? back : zl_twice(depth, depth);
}

/* One that returns as others do, beside those that do not. */
FRAME uint64_t zl_plain(uint64_t x)
{
	return turns(x, 10);
}

int main(int argc, char **argv)
{
	rounds_open(argc, argv, 1, 20);
	while (rounds_next()) {
		sum = 0;
		for (int depth = 1; depth <= 40; depth++)
			sum += zl_plain(zl_catch(depth));
		rounds_result(sum);
	}
	rounds_calls("zl_catch", 40);
	rounds_calls("zl_twice", 40);
	rounds_calls("zl_down", 2 * (40 + 40 * 41 / 2));
	rounds_calls("zl_leave", 80);
	rounds_calls("zl_plain", 40);
	return rounds_end(13);
}
