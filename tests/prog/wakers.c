/*
 * wakers: threads that wait in functions of their own, each woken from a known place: a_wait by
 * b_pass in thread b (a futex), b_wait by c_begin in thread c (a pipe), c_wait by a timer; s_wait
 * by s_post in process "poster" (a pipe, and another process); and d_wait by its child's exit, by a
 * timer in its turn. Prints "NAME=NS" of each: time in which its thread was off the CPU there.
 */
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "prog.h"

#define ROUNDS 40

static sem_t for_a;
static int for_b[2], for_s[2], for_poster[2];

static void nap(long ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

FRAME void a_wait(void)
{
	while (sem_wait(&for_a))
		;
}

FRAME void b_pass(void)
{
	sem_post(&for_a);
}

FRAME void b_wait(void)
{
	char c;

	if (read(for_b[0], &c, 1) != 1)
		_exit(1);
}

FRAME void c_begin(void)
{
	if (write(for_b[1], "", 1) != 1)
		_exit(1);
}

FRAME void c_wait(void)
{
	nap(23000000);
}

FRAME void s_wait(void)
{
	char c;

	if (read(for_s[0], &c, 1) != 1)
		_exit(1);
}

FRAME void s_post(void)
{
	if (write(for_s[1], "", 1) != 1)
		_exit(1);
}

FRAME void d_wait(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_NAME, "child");
		nap(60000000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static double off_s(double since_s, double since_cpu_s)
{
	return now_s() - since_s - (cpu_s() - since_cpu_s);
}

struct job {
	const char *name;
	void (*wait)(void), (*then)(void);
	int times;
	pthread_t thread;
	double off_s;
};

static void *run(void *data)
{
	struct job *job = data;

	prctl(PR_SET_NAME, job->name);
	for (int i = 0; i < job->times; i++) {
		const double start_s = now_s(), start_cpu_s = cpu_s();

		job->wait();
		job->off_s += off_s(start_s, start_cpu_s);
		if (job->then)
			job->then();
	}
	return NULL;
}

static pid_t start_poster(void)
{
	pid_t poster = fork();

	if (poster)
		return poster;
	prctl(PR_SET_NAME, "poster");
	if (read(for_poster[0], &(char){0}, 1) != 1)
		_exit(1);
	for (int i = 0; i < ROUNDS; i++) {
		nap(23000000);
		s_post();
	}
	_exit(0);
}

int main(void)
{
	struct job jobs[] = {{"a", a_wait, NULL, ROUNDS},
			     {"b", b_wait, b_pass, ROUNDS},
			     {"c", c_wait, c_begin, ROUNDS},
			     {"s", s_wait, NULL, ROUNDS},
			     {"d", d_wait, NULL, 10}};
	const size_t n = sizeof(jobs) / sizeof(*jobs);
	pid_t poster;

	if (pipe(for_b) || pipe(for_s) || pipe(for_poster) || sem_init(&for_a, 0, 0))
		return 1;
	poster = start_poster();
	wait_for_line();
	if (write(for_poster[1], "", 1) != 1)
		return 1;
	for (size_t i = 0; i < n; i++)
		pthread_create(&jobs[i].thread, NULL, run, &jobs[i]);
	for (size_t i = 0; i < n; i++)
		pthread_join(jobs[i].thread, NULL);
	waitpid(poster, NULL, 0);
	for (size_t i = 0; i < n; i++)
		printf("%s_wait=%.0f\n", jobs[i].name, jobs[i].off_s * 1e9);
	return 0;
}
