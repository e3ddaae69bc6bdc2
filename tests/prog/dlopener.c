/*
 * dlopener SECONDS: a third of the time in before_load, then loads libz and spends a third under
 * with_library in its crc32_z, then unloads it and spends the last third in after_unload.
 */
#include <dlfcn.h>

#include "prog.h"

static uint8_t buffer[1 << 16];

FRAME uint64_t before_load(double seconds)
{
	return spin_for(seconds);
}

FRAME uint64_t after_unload(double seconds)
{
	return before_load(seconds) + 1;
}

FRAME int with_library(double seconds)
{
	double end = cpu_s() + seconds;
	void *lib = dlopen("libz.so.1", RTLD_NOW);
	unsigned long (*crc)(unsigned long, const uint8_t *, size_t);
	unsigned long sum = 0;

	if (!lib)
		return 1;
	*(void **)&crc = dlsym(lib, "crc32_z");
	while (crc && cpu_s() < end)
		sum = crc(sum, buffer, sizeof(buffer));
	return dlclose(lib) || !crc || sum == 1;
}

int main(int argc, char **argv)
{
	double third = arg(argc, argv, 1, 3) / 3;

	before_load(third);
	if (with_library(third))
		return 1;
	after_unload(third);
	printf("pid=%d\n", getpid());
	return 0;
}
