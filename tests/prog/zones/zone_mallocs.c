// cflags: -O2
/*
 * zone_mallocs N: N pairs of malloc and free in a program without exceptions, whose return
 * addresses may be hijacked. Status 0.
 */
#include "prog.h"

int main(int argc, char **argv)
{
	for (uint64_t i = arg(argc, argv, 1, 1); i; i--) {
		void *volatile p = malloc(64);

		free(p);
	}
	return 0;
}
