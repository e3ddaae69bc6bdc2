// cflags: -O2 -fomit-frame-pointer
/* clock SECONDS: ask_time asks the vDSO for the time without end. */
#include "prog.h"

FRAME uint64_t ask_time(double seconds)
{
	uint64_t n = 1;

	for (double end = now_s() + seconds; now_s() < end;)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	uint64_t n = ask_time(arg(argc, argv, 1, 2));

	printf("pid=%d asked=%lu\n", getpid(), n);
	return 0;
}
