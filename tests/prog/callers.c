/*
 * callers ROUNDS: one function that two others call, three times and once a round: in the first
 * thread, in a second one and in a child process. Says how often each called it.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "prog.h"

static long rounds;

FRAME uint64_t cl_called(uint64_t x)
{
	return turns(x, 20);
}

FRAME uint64_t cl_often(uint64_t x)
{
	for (int i = 0; i < 3; i++)
		x = cl_called(x) + 1;
	return x;
}

FRAME uint64_t cl_seldom(uint64_t x)
{
	return cl_called(x) + 1;
}

/* Calls itself @depth times, and what is called at the bottom. */
FRAME uint64_t cl_down(uint64_t x, int depth)
{
	return (depth ? cl_down(x, depth - 1) : cl_called(x)) + 1;
}

FRAME void *cl_work(void *x)
{
	uint64_t sum = (uintptr_t)x;

	for (long i = 0; i < rounds; i++)
		sum = cl_seldom(cl_often(sum));
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	rounds = arg(argc, argv, 1, 1000);
	wait_for_line();
	child = fork();
	if (!child)
		_exit(!cl_work((void *)1));
	pthread_create(&thread, NULL, cl_work, (void *)2);
	cl_work((void *)3);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	cl_down(1, 300);
	printf("often=%ld seldom=%ld down=1 all=%ld\n", 9 * rounds, 3 * rounds, 12 * rounds + 1);
	return 0;
}
