// cflags: -O2 -fomit-frame-pointer
/*
 * modules FOLDER N ROUNDS: loads FOLDER/m0.so … as they come in the first round, and spends 2 ms of
 * CPU in work() of each, round after round. ROUNDS 0: without end.
 */
#include <dlfcn.h>

#include "prog.h"

typedef uint64_t work_fn(double until_s, double (*clock_s)(void));

static work_fn *load(const char *folder, int i)
{
	char path[4096];
	void *module;
	work_fn *work;

	snprintf(path, sizeof(path), "%s/m%d.so", folder, i);
	module = dlopen(path, RTLD_NOW);
	if (!module) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&work = dlsym(module, "work");
	return work;
}

FRAME uint64_t visit(work_fn *work)
{
	return work(cpu_s() + 0.002, cpu_s) + 1;
}

int main(int argc, char **argv)
{
	int n = (int)arg(argc, argv, 2, 0), rounds = (int)arg(argc, argv, 3, 1);
	work_fn **works = calloc((size_t)n + 1, sizeof(*works));
	uint64_t sum = 0;

	for (int round = 0; !rounds || round < rounds; round++) {
		for (int i = 0; i < n; i++) {
			if (!works[i])
				works[i] = load(argv[1], i);
			sum += visit(works[i]);
		}
		if (!round) {
			puts("loaded");
			fflush(stdout);
		}
	}
	printf("pid=%d sum=%llu\n", getpid(), (unsigned long long)sum);
	return 0;
}
