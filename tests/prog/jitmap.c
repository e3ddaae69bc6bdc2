/*
 * jitmap SECONDS [keep|remove [LATE]]: writes two loops into anonymous executable memory, names
 * them in /tmp/perf-PID.map as a JIT does, LATE seconds after it began to run them, and spends 75 %
 * in jit_hot and 25 % in "jit odd;name". The map is removed at the end unless it is to be kept.
 */
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

/* Asking the clock is a system call: seldom. No frame of its own: main calls run_jit. */
static inline __attribute__((always_inline)) uint64_t run(uintptr_t page, double seconds)
{
	double end = cpu_s() + seconds;
	uint64_t rounds = 0;

	while (cpu_s() < end)
		for (int i = 0; i < 20; i++, rounds++) {
			run_jit((void (*)(uint64_t))page, 30000);
			run_jit((void (*)(uint64_t))(page + APART), 10000);
		}
	return rounds;
}

int main(int argc, char **argv)
{
	uint8_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double late = arg(argc, argv, 3, 0);
	uint64_t rounds;
	char path[64];

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	memcpy(page + APART, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	rounds = run((uintptr_t)page, late);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (write_map(path, page))
		return 1;
	rounds += run((uintptr_t)page, arg(argc, argv, 1, 10) - late);
	if (argc < 3 || strcmp(argv[2], "keep"))
		unlink(path);
	printf("pid=%d rounds=%lu\n", getpid(), rounds);
	return 0;
}
