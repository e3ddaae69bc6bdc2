/*
 * jitmap SECONDS [keep|remove [LATE]]: writes two loops into anonymous executable memory, names
 * them in /tmp/perf-PID.map as a JIT does, LATE seconds after it began to run them, and spends 75 %
 * in jit_hot and 25 % in "jit odd;name". The map is removed at the end unless it is to be kept.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "prog.h"

/* push rbp; mov rbp, rsp; mov rcx, rdi; 1: dec rcx; jnz 1b; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf9,
			       0x48, 0xff, 0xc9, 0x75, 0xfb, 0x5d, 0xc3};
enum { APART = 64 };

FRAME uint64_t run_jit(void (*f)(uint64_t), uint64_t n)
{
	f(n);
	return n + 1;
}

static int write_map(const char *path, const uint8_t *page)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "%lx %zx jit_hot\n", (unsigned long)page, sizeof(code));
	fprintf(f, "%lx %zx jit odd;name\n", (unsigned long)page + APART, sizeof(code));
	return fclose(f);
}

int main(int argc, char **argv)
{
	uint8_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double late = arg(argc, argv, 3, 0), start = cpu_s(), now = start;
	uint64_t rounds = 0;
	bool named = false;
	char path[64];

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	memcpy(page + APART, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	/* Asking the clock is a system call: seldom. */
	for (; now < start + arg(argc, argv, 1, 10); now = cpu_s()) {
		if (!named && now >= start + late && write_map(path, page))
			return 1;
		named |= now >= start + late;
		for (int i = 0; i < 20; i++, rounds++) {
			run_jit((void (*)(uint64_t))(uintptr_t)page, 30000);
			run_jit((void (*)(uint64_t))(uintptr_t)(page + APART), 10000);
		}
	}
	if (argc < 3 || strcmp(argv[2], "keep"))
		unlink(path);
	printf("pid=%d rounds=%lu\n", getpid(), rounds);
	return 0;
}
