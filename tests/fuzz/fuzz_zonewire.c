/* What a worker process answers that a hostile file has taken over: a file's functions to be
 * probed. */
#include "function/zonewire.h"

#define FUZZ_RUN fuzz_zonewire_run
#include "fuzz.h"

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n + 1);
	struct zonewire w;
	size_t used;

	memcpy(copy, bytes, n);
	for (size_t at = 0; at < n && (used = zonewire_read(copy + at, n - at, 1, &w));
	     at += used) {
		expect(used <= n - at && used % 4 == 0);
		zonewire_release(&w);
	}
	free(copy);
}
