/*
 * shortlived N MS: N children, one after the other, each alive for MS milliseconds of spinning
 * in child_work. Even ones are called kid-I by prctl, odd ones exe-I by exec of a link.
 */
#include <string.h>
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

int main(int argc, char **argv)
{
	int n = arg(argc, argv, 1, 20), done = 0, status;
	double ms = arg(argc, argv, 2, 20);
	char dir[] = "/tmp/shortlived.XXXXXX", path[64];
	struct rusage use;

	if (argc > 2 && !strcmp(argv[1], "child"))
		return !child_work(ms / 1e3);
	if (!mkdtemp(dir))
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
	getrusage(RUSAGE_CHILDREN, &use);
	printf("pid=%d children=%d cpu_us=%ld\n", getpid(), done,
	       (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 + use.ru_utime.tv_usec +
		       use.ru_stime.tv_usec);
	return done != n;
}
