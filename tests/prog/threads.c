/* threads N MS: N threads that come and go, two at a time, each MS milliseconds in thread_work
 * under the name worker-I. */
#include <pthread.h>
#include <sys/prctl.h>

#include "prog.h"

static double seconds;

FRAME uint64_t thread_work(void)
{
	return spin_for(seconds);
}

static void *worker(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)number);
	prctl(PR_SET_NAME, name);
	thread_work();
	return NULL;
}

int main(int argc, char **argv)
{
	int n = arg(argc, argv, 1, 20);
	pthread_t pair[2];

	seconds = arg(argc, argv, 2, 20) / 1e3;
	for (int i = 0; i < n; i += 2) {
		for (int k = 0; k < 2; k++)
			pthread_create(&pair[k], NULL, worker, (void *)(intptr_t)(i + k));
		for (int k = 0; k < 2; k++)
			pthread_join(pair[k], NULL);
	}
	printf("pid=%d threads=%d\n", getpid(), (n + 1) / 2 * 2);
	return 0;
}
