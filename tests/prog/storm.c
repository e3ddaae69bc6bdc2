/* storm RATE SECONDS [MS]: starts RATE processes a second, evenly, each a program of its own that
 * computes for MS milliseconds (1) in short_lived() and ends. Prints how many it started: fewer
 * where the machine cannot keep up, for no more than MOST live at a time. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 32

extern char **environ;

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) int short_lived(double ms)
{
	volatile int x = 0;

	while (now_s(CLOCK_PROCESS_CPUTIME_ID) * 1e3 < ms)
		for (int i = 0; i < 1000; i++)
			x += i;
	return x == 1;
}

/* Leaves no more than @most of @living. */
static long reap(long living, long most)
{
	while (living > 0 && waitpid(-1, NULL, living > most ? 0 : WNOHANG) > 0)
		living--;
	return living;
}

static void storm(const char *self, double rate, double seconds, char *ms)
{
	char *argv[] = {"short", "child", ms, NULL};
	double start = now_s(CLOCK_MONOTONIC);
	long n = 0, living = 0;
	pid_t pid;

	for (double at = 0; at < seconds && now_s(CLOCK_MONOTONIC) < start + seconds;
	     at = (double)++n / rate) {
		double wait = start + at - now_s(CLOCK_MONOTONIC);

		if (wait > 0)
			usleep((useconds_t)(wait * 1e6));
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
			exit(1);
		living = reap(living + 1, MOST);
	}
	reap(living, 0);
	printf("%ld\n", n);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "child"))
		return short_lived(atof(argv[2]));
	if (argc < 3)
		return 2;
	storm("/proc/self/exe", atof(argv[1]), atof(argv[2]), argc > 3 ? argv[3] : "1");
	return 0;
}
