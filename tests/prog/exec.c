/* exec SECONDS: one process, three programs: spins in stage1, execs itself, spins in stage2 as
 * "second", execs itself, spins in stage3 as "third". Each takes a third of the time. */
#include <sys/prctl.h>

#include "prog.h"

FRAME uint64_t stage1(double seconds)
{
	return spin_for(seconds) + 1;
}

FRAME uint64_t stage2(double seconds)
{
	return spin_for(seconds) + 2;
}

FRAME uint64_t stage3(double seconds)
{
	return spin_for(seconds) + 3;
}

int main(int argc, char **argv)
{
	static const char *const name[] = {"exec", "second", "third"};
	static uint64_t (*const stage[])(double) = {stage1, stage2, stage3};
	int i = arg(argc, argv, 2, 0);
	char next[2] = {(char)('1' + i), 0};

	if (argc < 2 || i < 0 || i > 2)
		return 2;
	if (i)
		prctl(PR_SET_NAME, name[i]);
	stage[i](atof(argv[1]) / 3);
	if (i < 2)
		execl("/proc/self/exe", argv[0], argv[1], next, NULL);
	printf("pid=%d stages=%d\n", getpid(), i + 1);
	return i != 2;
}
