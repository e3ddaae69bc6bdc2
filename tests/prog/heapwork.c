/*
 * heapwork: allocates in threads in all ways that there are, with a seed of their own, and hands
 * blocks from one to another, so that addresses are used again across threads.
 *
 * heapwork THREADS ROUNDS [exit|abort|exec|fork]: how it ends: returns with blocks that are live;
 * by a signal; as another program; or in a child, too, which frees what it inherited.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 512

static void *slots[SLOTS]; /* taken and put with an exchange */
static int rounds;

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void *make(uint32_t way, size_t size)
{
	void *p = NULL;

	switch (way % 8) {
	case 0:
		return calloc(1 + size % 7, size / 4);
	case 1:
		return realloc(NULL, size);
	case 2:
		return memalign(64, size);
	case 3:
		return aligned_alloc(128, (size + 127) / 128 * 128);
	case 4:
		return posix_memalign(&p, 256, size) ? NULL : p;
	case 5:
		p = malloc(size + 1);
		memset(p, 'x', size);
		((char *)p)[size] = 0;
		char *copy = strdup(p);
		free(p);
		return copy;
	default:
		return malloc(size);
	}
}

static void *thread(void *number)
{
	uint32_t seed = (uint32_t)(uintptr_t)number * 7919 + 1;

	for (int i = 0; i < rounds; i++) {
		const uint32_t way = next(&seed), at = next(&seed) % SLOTS;
		const size_t size = next(&seed) % 2000;
		void *p = make(way, size);

		if (way % 16 == 7)
			p = realloc(p, size * 3); /* up; of size 0 it frees */
		if (way % 16 == 15)
			p = realloc(p, size / 3); /* down */
		/* Fails, and leaves the block. */
		if (way % 64 == 9 && realloc(p, PTRDIFF_MAX - 4096ul))
			abort();
		free(__atomic_exchange_n(&slots[at], p, __ATOMIC_ACQ_REL));
	}
	return NULL;
}

static void in_child(void)
{
	const pid_t child = fork();

	if (!child) {
		for (int i = 0; i < SLOTS / 2; i++) {
			free(slots[i]);
			slots[i] = malloc(100);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 1;
	const char *end = argc > 3 ? argv[3] : "exit";
	pthread_t t[64];

	rounds = argc > 2 ? atoi(argv[2]) : 1000;
	if (threads == 1)
		thread((void *)1);
	for (int i = 0; threads > 1 && i < threads && i < 64; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)(i + 1)))
			return 1;
	for (int i = 0; threads > 1 && i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
	if (!strcmp(end, "abort"))
		kill(getpid(), SIGKILL);
	if (!strcmp(end, "fork"))
		in_child();
	if (!strcmp(end, "exec"))
		execl(argv[0], argv[0], "1", "300", (char *)NULL);
	return 0;
}
