/*
 * zone_forks CHILDREN CALLS: when a line is there, forks children one after the other, each of
 * which calls zf_call so often at once and exits. With no children it makes these calls itself.
 */
#include <sys/wait.h>

#include "prog.h"

FRAME static uint64_t work(uint64_t x)
{
	return turns(x, 100);
}

/* No loop begins where it does: a call hits its probe once. */
FRAME uint64_t zf_call(uint64_t x)
{
	return work(x) + 1;
}

static uint64_t call(int calls)
{
	uint64_t x = 1;

	while (calls--)
		x = zf_call(x);
	return x;
}

int main(int argc, char **argv)
{
	int children = (int)arg(argc, argv, 1, 5), calls = (int)arg(argc, argv, 2, 1000);

	printf("ready\n");
	fflush(stdout);
	wait_for_line();
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit((int)(call(calls) & 1));
		waitpid(pid, NULL, 0);
	}
	if (!children)
		call(calls);
	printf("calls zf_call %d\n", (children ? children : 1) * calls);
	return 0;
}
