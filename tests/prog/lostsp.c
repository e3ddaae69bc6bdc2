// cflags: -O2 -fomit-frame-pointer
/* lostsp SECONDS: half of the time in lost, whose stack pointer points nowhere meanwhile, half in
 * found. */
#include "prog.h"

/* @n turns with an rsp that leads to no memory; the turns keep what rsp was. */
FRAME void lost(uint64_t n, uint64_t nowhere)
{
	uint64_t kept;

	__asm__ volatile("mov %%rsp, %0\n\t"
			 "mov %2, %%rsp\n"
			 "1:\tdec %1\n\t"
			 "jnz 1b\n\t"
			 "mov %0, %%rsp"
			 : "=&r"(kept), "+r"(n)
			 : "r"(nowhere)
			 : "cc", "memory");
}

FRAME void found(uint64_t n)
{
	__asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

int main(int argc, char **argv)
{
	static const uint64_t nowhere[] = {8, 0x7ffffffff000, 0xdead00000000beef, UINT64_MAX - 7};
	double end = cpu_s() + arg(argc, argv, 1, 2);
	unsigned int i = 0;

	while (cpu_s() < end) {
		lost(1000000, nowhere[i++ % 4]);
		found(1000000);
	}
	printf("pid=%d rounds=%u\n", getpid(), i);
	return 0;
}
