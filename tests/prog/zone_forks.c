/*
 * zone_forks CHILDREN CALLS: when a line is there, forks children one after the other, each of
 * which calls zf_call so often at once and exits.
 */
#include <sys/wait.h>

#include "prog.h"

FRAME uint64_t zf_call(uint64_t x)
{
	return turns(x, 100);
}

int main(int argc, char **argv)
{
	int children = (int)arg(argc, argv, 1, 5), calls = (int)arg(argc, argv, 2, 1000);

	printf("ready\n");
	fflush(stdout);
	wait_for_line();
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();
		uint64_t x = 1;

		for (int k = 0; k < calls && !pid; k++)
			x = zf_call(x);
		if (!pid)
			_exit((int)(x & 1));
		waitpid(pid, NULL, 0);
	}
	printf("calls zf_call %d\n", children * calls);
	return 0;
}
