/*
 * crowd N MS [MORE]: N threads block in crowd_wait, all at a time, for MS milliseconds, until the
 * process ends with them. Before that MORE threads are born one after the other, each of which
 * sleeps 50 µs in crowd_nap and ends. Prints "blocked=NS", from when all were asleep to the end.
 */
#include <pthread.h>
#include <semaphore.h>

#include "prog.h"

static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
static sem_t asleep;

FRAME void crowd_wait(void)
{
	pthread_mutex_lock(&never);
}

FRAME void crowd_nap(void)
{
	usleep(50);
}

static void *wait_here(void *data)
{
	sem_post(&asleep);
	crowd_wait();
	return data;
}

static void *nap_here(void *data)
{
	crowd_nap();
	return data;
}

static void start(pthread_t *thread, void *(*what)(void *))
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	if (pthread_create(thread, &small, what, NULL)) {
		printf("no thread\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const long n = (long)arg(argc, argv, 1, 100), more = (long)arg(argc, argv, 3, 0);
	double began;
	pthread_t thread;

	sem_init(&asleep, 0, 0);
	pthread_mutex_lock(&never);
	for (long i = 0; i < more; i++) {
		start(&thread, nap_here);
		pthread_join(thread, NULL);
	}
	for (long i = 0; i < n; i++)
		start(&thread, wait_here);
	for (long i = 0; i < n; i++)
		sem_wait(&asleep);
	began = now_s();
	usleep((useconds_t)(1000 * arg(argc, argv, 2, 500)));
	printf("blocked=%.0f\n", (now_s() - began) * 1e9);
	fflush(stdout);
	_exit(0);
}
