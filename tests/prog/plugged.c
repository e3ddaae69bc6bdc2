// cflags: -O2 -fomit-frame-pointer
/* plugged LIBRARY SECONDS: main calls through() of the library, which calls called_back, which
 * spins. */
#include <dlfcn.h>

#include "prog.h"

static double seconds;

FRAME uint64_t called_back(uint64_t x)
{
	return spin_for(seconds) + x;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	uint64_t (*through)(uint64_t(*)(uint64_t), uint64_t);

	if (!library)
		return 2;
	seconds = arg(argc, argv, 2, 2);
	*(void **)&through = dlsym(library, "through");
	printf("pid=%d %lu\n", getpid(), through ? through(called_back, 1) : 0);
	return !through;
}
