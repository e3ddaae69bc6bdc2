/*
 * asleep [N]: a main thread and N threads (10) that never wake until the program is killed, each in
 * a_pipe or a_lock, as its number is even or odd. Prints its pid once they were started.
 */
#include <pthread.h>

#include "prog.h"

static int never[2];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

FRAME void a_pipe(void)
{
	char c;

	if (read(never[0], &c, 1) < 0)
		_exit(1);
}

FRAME void a_lock(void)
{
	pthread_mutex_lock(&held);
}

FRAME void a_main(void)
{
	pause();
}

static void *run(void *even)
{
	if (even)
		a_pipe();
	else
		a_lock();
	return NULL;
}

int main(int argc, char **argv)
{
	int n = (int)arg(argc, argv, 1, 10);
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_mutex_lock(&held);
	if (pipe(never))
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, &small, run, (void *)(long)(i % 2 == 0)))
			return 1;
	printf("pid=%d\n", getpid());
	fflush(stdout);
	a_main();
	return 0;
}
