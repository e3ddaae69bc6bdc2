/* sleeper SECONDS: asleep all the time, so that there is next to nothing to sample. */
#include "prog.h"

int main(int argc, char **argv)
{
	usleep(1e6 * arg(argc, argv, 1, 1));
	printf("pid=%d\n", getpid());
	return 0;
}
