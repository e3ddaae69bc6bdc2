// cflags: -O2
/*
 * zone_mallocs_throw N: as zone_mallocs, in a program that throws: calls are timed by probes at
 * exits. Status 0.
 */
#include <cstdlib>
#include <stdexcept>

int main(int argc, char **argv)
{
	try {
		throw std::runtime_error("caught");
	} catch (const std::exception &) {
	}
	for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--) {
		void *volatile p = malloc(64);

		free(p);
	}
	return 0;
}
