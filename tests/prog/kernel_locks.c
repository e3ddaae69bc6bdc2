/*
 * kernel_locks KIND [ROUNDS]: a thread "keeper" holds a lock of the kernel in each of its calls,
 *for milliseconds, and a thread "waiter" waits for it in its own, in between it sleeps. mutex:
 *read(2) of one open file, whose position is under a mutex rwsem: write(2) to one file, which is
 *under a semaphore of readers and writers Prints "rounds=N".
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "prog.h"

#define BYTES  (64u << 20)
#define NAP_US 1000

static int file, rounds = 20;
static bool writes;
static volatile bool done;
static char *memory;

FRAME void keep(void)
{
	const ssize_t n = writes ? pwrite(file, memory, BYTES, 0) : read(file, memory, BYTES);

	if (n != BYTES || lseek(file, 0, SEEK_SET))
		_exit(1);
}

FRAME void want(void)
{
	char c = 0;

	if ((writes ? pwrite(file, &c, 1, 0) : read(file, &c, 1)) < 0)
		_exit(1);
	if (!writes)
		lseek(file, 0, SEEK_SET);
	usleep(NAP_US);
}

static void *run_waiter(void *data)
{
	prctl(PR_SET_NAME, "waiter");
	while (!done)
		want();
	return data;
}

int main(int n, char **arguments)
{
	char path[] = "/dev/shm/kernel_locks.XXXXXX"; /* not on a disk */
	pthread_t waiter;

	if (n < 2)
		return 2;
	writes = !strcmp(arguments[1], "rwsem");
	if (n > 2)
		rounds = atoi(arguments[2]);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	file = mkstemp(path);
	if (memory == MAP_FAILED || file < 0 || pwrite(file, memory, BYTES, 0) != BYTES)
		return 1;
	unlink(path);
	wait_for_line();
	prctl(PR_SET_NAME, "keeper");
	pthread_create(&waiter, NULL, run_waiter, NULL);
	for (int i = 0; i < rounds; i++)
		keep();
	done = true;
	pthread_join(waiter, NULL);
	printf("rounds=%d\n", rounds);
	return 0;
}
