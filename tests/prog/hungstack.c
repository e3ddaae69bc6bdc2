/*
 * hungstack FILE: a thread whose stack lies in a private mapping of FILE, of which what is above
 * the stack was never read. It sleeps for ever in h_sleeps(). Prints its pid once it does.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "prog.h"

#define STACK_BYTES (64 << 10)
#define BYTES	    (256 << 10)

static int never[2];

FRAME void h_sleeps(void)
{
	char c;

	if (read(never[0], &c, 1) < 0)
		_exit(1);
}

static void *run(void *nothing)
{
	h_sleeps();
	return nothing;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	pthread_attr_t at;
	pthread_t thread;
	void *stack;

	stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (stack == MAP_FAILED || madvise(stack, BYTES, MADV_RANDOM) || pipe(never))
		return 1;
	pthread_attr_init(&at);
	pthread_attr_setstack(&at, stack, STACK_BYTES);
	if (pthread_create(&thread, &at, run, NULL))
		return 1;
	usleep(100000);
	printf("pid=%d\n", getpid());
	fflush(stdout);
	pause();
	return 0;
}
