/* A map of code made at run time, as its process writes it: names of addresses, and all names. */
#include "symbol/perfmap.h"

#define FUZZ_RUN fuzz_perfmap_run
#include "fuzz.h"

static void each(void *context, const char *name)
{
	size_t *n = context;

	*n += strlen(name);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	static const uint64_t addresses[] = {0, 0x10, 0x1000, 0x1080, 0x2000, UINT64_MAX};
	char *names[sizeof(addresses) / sizeof(*addresses)] = {0};
	const int fd = fuzz_file(bytes, n);
	struct perfmap_stats stats = {0};
	size_t sum = 0;

	perfmap_find(fd, addresses, sizeof(addresses) / sizeof(*addresses), names, &stats);
	expect(stats.bad_lines <= stats.lines);
	perfmap_names(fd, each, &sum);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		free(names[i]);
	close(fd);
}
