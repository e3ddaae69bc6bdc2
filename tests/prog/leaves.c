// cflags: -O2 -fomit-frame-pointer
/* leaves SECONDS: call_all calls without end two functions in which nearly every sample hits a
 * place without a frame: leaf has none, saver is nothing but a prologue and an epilogue. */
#include "prog.h"

FRAME uint64_t leaf(uint64_t x)
{
	return turns(x, 20);
}

FRAME void saver(void)
{
	__asm__ volatile("nop" : : : "rbx", "rbp", "r12", "r13", "r14", "r15");
}

FRAME uint64_t call_all(double seconds)
{
	double end = cpu_s() + seconds;
	uint64_t x = 1;

	while (cpu_s() < end)
		for (int i = 0; i < 100000; i++) {
			x += leaf(x);
			saver();
		}
	return x;
}

int main(int argc, char **argv)
{
	call_all(arg(argc, argv, 1, 2));
	printf("pid=%d\n", getpid());
	return 0;
}
