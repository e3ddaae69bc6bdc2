// cflags: -O2 -fomit-frame-pointer
/* clock SECONDS: ask_time asks the vDSO for the time, for so long on the CPU. */
#include "prog.h"

FRAME uint64_t ask_time(double seconds)
{
	double end = cpu_s() + seconds, sum = 0;

	while (cpu_s() < end)
		for (int i = 0; i < 10000; i++)
			sum += now_s();
	return (uint64_t)sum;
}

int main(int argc, char **argv)
{
	uint64_t n = ask_time(arg(argc, argv, 1, 2));

	printf("pid=%d asked=%lu\n", getpid(), n);
	return 0;
}
