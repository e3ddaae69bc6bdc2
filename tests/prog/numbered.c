/*
 * numbered: system calls of known numbers: 1,000 of getppid, 200 of openat that find nothing, 30 of
 * read that would block, in a thread 300 of getppid, in a child 40, which a signal ends in pause;
 * where the machine has i386's calls 50 of its getppid. Prints "i386=" 1 or 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "prog.h"

#define I386_GETPPID 64

static void calls(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void *run(void *unused)
{
	prctl(PR_SET_NAME, "second");
	calls(300);
	return unused;
}

static void calls_i386(int n)
{
	for (int i = 0; i < n; i++) {
		long result;

		__asm__ volatile("int $0x80" : "=a"(result) : "a"(I386_GETPPID) : "memory");
	}
}

/* A machine without them answers with a signal. */
static int has_i386(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		calls_i386(1);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
}

static void child_in_pause(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_NAME, "child");
		calls(40);
		pause();
		_exit(1);
	}
	/* Once it is in pause, it has been for a while. */
	usleep(300000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const int i386 = has_i386();
	int ends[2];
	char byte;
	pthread_t thread;

	if (pipe2(ends, O_NONBLOCK))
		return 1;
	calls(1000);
	for (int i = 0; i < 200; i++)
		syscall(SYS_openat, AT_FDCWD, "/nowhere/at/all", O_RDONLY);
	for (int i = 0; i < 30; i++)
		syscall(SYS_read, ends[0], &byte, 1);
	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	pthread_join(thread, NULL);
	child_in_pause();
	if (i386)
		calls_i386(50);
	printf("i386=%d\n", i386);
	return 0;
}
