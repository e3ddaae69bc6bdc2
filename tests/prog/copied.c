// cflags: -O2 -fomit-frame-pointer
/*
 * copied SECONDS HOW: computes in copied_outer, copied_leaf, whose code it first copies to memory
 * without a file in the file's own place. HOW: moved (mremap), over (mmap over it), other (a byte
 * of code that never runs is another), or in (nothing is copied).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "prog.h"

#define PAGE 4096ul
/* In pages of their own; what follows is not run meanwhile. */
#define HOT __attribute__((noipa, section("hot_code")))

extern char __start_hot_code, __stop_hot_code;

HOT __attribute__((aligned(4096))) static unsigned long copied_leaf(unsigned long n)
{
	volatile unsigned long x = 1;

	for (unsigned long i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1;
	return x;
}

HOT static unsigned long copied_outer(unsigned long n)
{
	/* rbp is no frame pointer, and nothing like it. */
	register unsigned long rbp asm("rbp") = n;

	asm volatile("" : "+r"(rbp));
	n = copied_leaf(rbp) + 1;
	asm volatile("" : "+r"(rbp));
	return n + rbp;
}

HOT static unsigned long copied_unused(unsigned long n)
{
	return n * 3;
}

static void copy(const char *how)
{
	char *from = &__start_hot_code;
	const size_t n = ((size_t)(&__stop_hot_code - from) + PAGE - 1) & ~(PAGE - 1);
	char *to = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(to, from, n);
	if (!strcmp(how, "other"))
		to[(char *)(uintptr_t)copied_unused - from] ^= 1;
	if (!strcmp(how, "over")) {
		mmap(from, n, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		memcpy(from, to, n);
		return;
	}
	mprotect(to, n, PROT_READ | PROT_EXEC);
	if (mremap(to, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from)
		_exit(1);
}

int main(int argc, char **argv)
{
	const double end = cpu_s() + arg(argc, argv, 1, 1);

	if (argc > 2 && strcmp(argv[2], "in"))
		copy(argv[2]);
	printf("pid=%d\n", getpid());
	fflush(stdout);
	while (cpu_s() < end)
		copied_outer(100000);
	return 0;
}
