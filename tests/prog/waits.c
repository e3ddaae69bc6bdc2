/*
 * waits: threads that wait in functions of their own, each of which measures its time by its own
 * clock: w_sleep (long sleeps), w_short (sleeps shorter than a sampling period), w_cond (a futex),
 * w_pipe (a read), w_child (waitpid); ping and pong, who wait for each other; and two spinners on
 * one CPU. Prints "NAME=NS" and "NAME.waits=N" of each function, and of each thread "TID.life=NS",
 * "TID.cpu=NS" and "TID.switches=N", up to shortly before its exit; "TID.most=NS": from before it
 * was created to after its exit, as the main thread saw it; at the end "stolen=NS": what the
 * machine's host took from its CPUs meanwhile, which is time neither on a CPU nor off it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "prog.h"

#define ROUND_TRIPS 1000

static int ping_pipe[2], pong_pipe[2], slow_pipe[2];
static int first_cpu;
static double spin_seconds = 0.4;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void nap(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
			     .tv_nsec = (long)(ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

FRAME void w_sleep(void)
{
	nap(15300000);
}

FRAME void w_short(void)
{
	nap(200000);
}

FRAME void w_cond(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 12700000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&never, &mutex, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&mutex);
}

FRAME void w_pipe(void)
{
	char c;

	if (read(slow_pipe[0], &c, 1) != 1)
		_exit(1);
}

FRAME void w_child(void)
{
	pid_t child = fork();

	if (!child) {
		nap(60000000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

FRAME void w_ping(void)
{
	char c = 0;

	if (write(ping_pipe[1], &c, 1) != 1 || read(pong_pipe[0], &c, 1) != 1)
		_exit(1);
}

FRAME void w_pong(void)
{
	char c;

	if (read(ping_pipe[0], &c, 1) != 1 || write(pong_pipe[1], &c, 1) != 1)
		_exit(1);
}

FRAME void w_write(void)
{
	char c = 0;

	nap(9100000);
	if (write(slow_pipe[1], &c, 1) != 1)
		_exit(1);
}

FRAME void w_spin(void)
{
	spin_for(spin_seconds);
}

static void pin(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(first_cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

struct job {
	const char *name;
	void (*wait)(void);
	int times;
	int pinned;
	pthread_t thread;
	int tid;	  /* of the thread, by itself */
	uint64_t created; /* before it was */
};

static void *run(void *data)
{
	struct job *job = data;
	uint64_t start = now_ns(), before, end;
	int tid = job->tid = (int)syscall(SYS_gettid);
	struct rusage usage;

	prctl(PR_SET_NAME, job->name);
	if (job->pinned)
		pin();
	before = now_ns();
	for (int i = 0; i < job->times; i++)
		job->wait();
	end = now_ns();
	getrusage(RUSAGE_THREAD, &usage);
	printf("%s=%lu %s.waits=%d %d.life=%lu %d.cpu=%lu %d.switches=%ld\n", job->name,
	       end - before, job->name, job->times, tid, end - start, tid,
	       (uint64_t)(cpu_s() * 1e9), tid, usage.ru_nvcsw + usage.ru_nivcsw);
	return NULL;
}

static size_t end_of_some(struct job *jobs, size_t n)
{
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		if (!jobs[i].thread || pthread_tryjoin_np(jobs[i].thread, NULL))
			continue;
		printf("%d.most=%lu\n", jobs[i].tid, now_ns() - jobs[i].created);
		jobs[i].thread = 0;
		ended++;
	}
	return ended;
}

int main(void)
{
	struct job jobs[] = {
		{"w_sleep", w_sleep, 40},	 {"w_short", w_short, 1000},
		{"w_cond", w_cond, 40},		 {"w_pipe", w_pipe, 50},
		{"w_write", w_write, 50},	 {"w_child", w_child, 8},
		{"w_ping", w_ping, ROUND_TRIPS}, {"w_pong", w_pong, ROUND_TRIPS},
		{"w_spin", w_spin, 1, 1},	 {"w_spin", w_spin, 1, 1},
	};
	const size_t n = sizeof(jobs) / sizeof(*jobs);
	const uint64_t stolen_before = stolen_ns();
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(first_cpu, &all))
		first_cpu++;
	if (pipe(ping_pipe) || pipe(pong_pipe) || pipe(slow_pipe))
		return 1;
	wait_for_line();
	for (size_t i = 0; i < n; i++) {
		jobs[i].created = now_ns();
		pthread_create(&jobs[i].thread, NULL, run, &jobs[i]);
	}
	for (size_t left = n; left; nap(1000000))
		left -= end_of_some(jobs, n);
	printf("stolen=%lu\n", stolen_ns() - stolen_before);
	return 0;
}
