// cflags: -O2 -fomit-frame-pointer
/*
 * bench_deep DEPTH ROUNDS: work of a fixed size under some DEPTH frames without frame pointers, the
 * way through 64 functions another one each round: hardly two samples have the same stack. It
 * computes and touches next to no memory, so that its own time hardly differs between runs.
 */
#include "prog.h"

#define TURNS 100000 /* some 100 µs: no round is seen by two samples at 999 Hz */

typedef uint64_t (*step_fn)(uint64_t x, unsigned depth);

static const step_fn steps[64];

/* Another pseudo-random number; its upper bits are the better ones. */
static inline __attribute__((always_inline)) uint64_t another(uint64_t x)
{
	return x * 6364136223846793005u + 1442695040888963407u;
}

FRAME uint64_t bottom(uint64_t x)
{
	return turns(x, TURNS);
}

/* Each has a frame of another size, and two places that it calls from. */
#define STEP(n)                                                               \
	FRAME uint64_t step_##n(uint64_t x, unsigned depth)                   \
	{                                                                     \
		volatile char room[8 + n % 7 * 24];                           \
                                                                              \
		room[0] = (char)depth;                                        \
		if (!depth)                                                   \
			return bottom(x) + (unsigned char)room[0];            \
		x = another(x);                                               \
		return steps[x >> 58](x, depth - 1) + (unsigned char)room[0]; \
	}
#define STEPS_8(of, m) of(m##0) of(m##1) of(m##2) of(m##3) of(m##4) of(m##5) of(m##6) of(m##7)
#define STEPS_64(of)   \
	STEPS_8(of, 1) \
	STEPS_8(of, 2) \
	STEPS_8(of, 3) STEPS_8(of, 4) STEPS_8(of, 5) STEPS_8(of, 6) STEPS_8(of, 7) STEPS_8(of, 8)

STEPS_64(STEP)

#define NAME(n) step_##n,
static const step_fn steps[64] = {STEPS_64(NAME)};

int main(int argc, char **argv)
{
	unsigned depth = (unsigned)arg(argc, argv, 1, 40);
	uint64_t rounds = (uint64_t)arg(argc, argv, 2, 1000), x = 1;

	if (depth < 2 || depth > 10000)
		return 2;
	for (uint64_t i = 0; i < rounds; i++) {
		x = another(x);
		x = steps[x >> 58](x, depth / 2 + (unsigned)(x >> 33) % depth);
	}
	printf("x=%lu\n", x);
	return 0;
}
