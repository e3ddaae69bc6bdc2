/*
 * shortlived N MS [MIB]: N children, one after the other, each alive for MS milliseconds of
 * spinning in child_work. Even ones are called kid-I by prctl, odd ones exe-I by exec of a link.
 * Prints the CPU time of the children, and of all: a fork is paid for by the parent, dearly if it
 * has MIB of memory, or if the machine's host keeps page tables of its own.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "prog.h"

FRAME uint64_t child_work(double seconds)
{
	return spin_for(seconds);
}

static void child(int i, double ms, const char *dir)
{
	char name[32], path[64], time[32];

	snprintf(name, sizeof(name), "%s-%d", i % 2 ? "exe" : "kid", i);
	if (i % 2) {
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		snprintf(time, sizeof(time), "%g", ms);
		if (symlink("/proc/self/exe", path) == 0)
			execl(path, path, "child", time, NULL);
		_exit(1);
	}
	prctl(PR_SET_NAME, name);
	child_work(ms / 1e3);
	_exit(0);
}

static long spent_us(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 + u->ru_utime.tv_usec +
	       u->ru_stime.tv_usec;
}

int main(int argc, char **argv)
{
	int n = arg(argc, argv, 1, 20), done = 0, status;
	double ms = arg(argc, argv, 2, 20);
	size_t bytes = (size_t)arg(argc, argv, 3, 0) << 20;
	char dir[] = "/tmp/shortlived.XXXXXX", path[64];
	struct rusage use, own;
	void *memory = NULL;

	if (argc > 2 && !strcmp(argv[1], "child"))
		return !child_work(ms / 1e3);
	if (!mkdtemp(dir))
		return 1;
	if (bytes)
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(i, ms, dir);
		if (waitpid(pid, &status, 0) == pid && status == 0)
			done++;
		snprintf(path, sizeof(path), "%s/exe-%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
	munmap(memory, bytes); /* its end is paid for, too */
	getrusage(RUSAGE_CHILDREN, &use);
	getrusage(RUSAGE_SELF, &own);
	printf("pid=%d children=%d children_us=%ld cpu_us=%ld\n", getpid(), done, spent_us(&use),
	       spent_us(&use) + spent_us(&own));
	return done != n;
}
