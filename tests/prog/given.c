/*
 * given ROUNDS [VALUES [MS]]: functions whose calls are known by caller and by what they are given,
 * in two threads and a child process, which wait MS after each round. gv_paint() gets equal texts
 * at different addresses, and one whose memory is not there; gv_count() each of VALUES numbers
 * twice.
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "prog.h"

enum colour { RED, GREEN = 7 };
struct place {
	int x;
	char name[8];
};

static long rounds, ms;

FRAME uint64_t gv_paint(enum colour colour, const char *name, double opacity,
			const struct place *at)
{
	return turns((uint64_t)colour + (uint64_t)opacity + (uintptr_t)name + (uintptr_t)at, 20);
}

FRAME uint64_t gv_count(unsigned long n, int fd)
{
	return turns(n + (unsigned)fd, 20);
}

/* The upper half of the register that has the colour is chance. */
FRAME uint64_t gv_often(uint64_t x)
{
	struct place at = {.x = 1};
	char name[8];

	strcpy(at.name, "here");
	for (int i = 0; i < 3; i++) {
		strcpy(name, "sky");
		x = gv_paint(RED, name, 0.5, &at) + 1;
	}
	return x;
}

FRAME uint64_t gv_seldom(uint64_t x)
{
	x += gv_paint(GREEN, NULL, 1, NULL);
	return gv_paint(RED, "sky", 0, NULL) + x;
}

FRAME uint64_t gv_odd(uint64_t x)
{
	return gv_paint((enum colour)3, (const char *)16, 0, NULL) + x;
}

FRAME void *gv_work(void *x)
{
	uint64_t sum = (uintptr_t)x;

	for (long i = 0; i < rounds; i++) {
		sum = gv_odd(gv_seldom(gv_often(sum)));
		usleep((useconds_t)ms * 1000);
	}
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	const long values = arg(argc, argv, 2, 0);
	pthread_t thread;
	pid_t child;

	rounds = arg(argc, argv, 1, 10);
	ms = arg(argc, argv, 3, 0);
	child = fork();
	if (!child)
		_exit(!gv_work((void *)1));
	pthread_create(&thread, NULL, gv_work, (void *)2);
	gv_work((void *)3);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	for (long i = 0; i < 2 * values; i++)
		gv_count((unsigned long)(i % values), -1);
	printf("often=%ld seldom=%ld odd=%ld all=%ld counts=%ld\n", 9 * rounds, 3 * rounds,
	       3 * rounds, 18 * rounds, 2 * values);
	return 0;
}
