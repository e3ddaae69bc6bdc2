/* leaderless SECONDS: the first thread exits, then another one is in leaderless_spin for so long,
 * once a line came. */
#include <pthread.h>

#include "prog.h"

static pthread_t first;
static double seconds;

FRAME uint64_t leaderless_spin(void)
{
	return spin_for(seconds);
}

static void *go_on(void *unused)
{
	(void)unused;
	pthread_join(first, NULL);
	printf("pid=%d\n", getpid());
	fflush(stdout);
	wait_for_line();
	leaderless_spin();
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t other;

	first = pthread_self();
	seconds = arg(argc, argv, 1, 1);
	if (pthread_create(&other, NULL, go_on, NULL))
		return 1;
	pthread_exit(NULL);
}
