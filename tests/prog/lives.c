/*
 * lives [N]: N threads (500), fifty at a time, that are born, sleep, spin, wait for a lock, and
 * die. Prints of each "TID inner=NS outer=NS cpu=NS delay=NS": its life by its own clock, by main's
 * around it (creation to join), its CPU time, and how long it waited for a CPU (the kernel's
 * account), up to shortly before its exit; at the end "cpu=NS", of the process with all that its
 * threads ran, and "stolen=NS" as waits does.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>

#include "prog.h"

#define AT_A_TIME 50

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct life {
	pthread_t thread;
	int number, tid;
	uint64_t created_ns, inner_ns, outer_ns, cpu_ns, delay_ns;
};

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t delay_ns(void)
{
	unsigned long long delay = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (!f || fscanf(f, "%*u %llu", &delay) != 1)
		delay = 0;
	if (f)
		fclose(f);
	return delay;
}

FRAME void l_sleep(int number)
{
	usleep(500 + 37 * (unsigned)(number % 50));
}

FRAME void l_spin(int number)
{
	spin_for(0.004 + 0.0001 * (number % 30));
}

FRAME void l_lock(void)
{
	pthread_mutex_lock(&mutex);
	usleep(50);
	pthread_mutex_unlock(&mutex);
}

static void *live(void *data)
{
	uint64_t start = ns_of(CLOCK_MONOTONIC);
	struct life *l = data;

	l->tid = (int)syscall(SYS_gettid);
	l_sleep(l->number);
	l_spin(l->number);
	l_lock();
	l->delay_ns = delay_ns();
	l->cpu_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
	l->inner_ns = ns_of(CLOCK_MONOTONIC) - start;
	return NULL;
}

static void say(const struct life *l)
{
	printf("%d inner=%lu outer=%lu cpu=%lu delay=%lu\n", l->tid, l->inner_ns, l->outer_ns,
	       l->cpu_ns, l->delay_ns);
}

int main(int argc, char **argv)
{
	int n = (int)arg(argc, argv, 1, 500), first = 0;
	const uint64_t stolen_before = stolen_ns();
	struct life lives[AT_A_TIME];

	for (; first < n; first += AT_A_TIME) {
		int last = n - first < AT_A_TIME ? n - first : AT_A_TIME;

		for (int i = 0; i < last; i++) {
			lives[i].number = first + i;
			lives[i].created_ns = ns_of(CLOCK_MONOTONIC);
			if (pthread_create(&lives[i].thread, NULL, live, &lives[i]))
				return 1;
		}
		for (int i = 0; i < last; i++) {
			pthread_join(lives[i].thread, NULL);
			lives[i].outer_ns = ns_of(CLOCK_MONOTONIC) - lives[i].created_ns;
			say(&lives[i]);
		}
	}
	/* One that was joined is on its way out still. */
	sleep(1);
	printf("cpu=%lu\nstolen=%lu\n", ns_of(CLOCK_PROCESS_CPUTIME_ID),
	       stolen_ns() - stolen_before);
	return 0;
}
