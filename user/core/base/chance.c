#include "base/chance.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/hash.h"

/* From what the kernel gave this process at its start, where it does not give more (seccomp, or no
 * entropy yet). */
static uint64_t made_up(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM); /* 16 bytes */
	uint64_t start[2] = {0};

	if (random)
		memcpy(start, random, sizeof(start));
	return hash_seeded(start, sizeof(start), clock_ns(CLOCK_MONOTONIC));
}

uint64_t chance_u64(void)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number))
		return number;
	return made_up();
}

#define PIECE 32 /* words: 256 bytes, which a call gives whole or not at all */

void chance_fill(uint64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i += PIECE) {
		const size_t some = n - i < PIECE ? n - i : PIECE;

		if (getrandom(at + i, some * sizeof(*at), GRND_NONBLOCK) ==
		    (ssize_t)(some * sizeof(*at)))
			continue;
		for (size_t k = 0; k < some; k++)
			at[i + k] = chance_u64();
	}
}
