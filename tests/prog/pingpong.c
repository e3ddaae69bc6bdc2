/*
 * pingpong PAIRS ROUNDS: pairs of threads that wake each other by pipes, each pair on a CPU of its
 * own as far as there are, ROUNDS round trips each: nothing but switches, two a round trip. Prints
 * "round_ns=" of a round trip, "cpu_ns=" of it on a CPU, and "off_ns=", the time that all threads
 * were off the CPU together, the main one included, which waits: what they lived less their CPU
 * time.
 */
#include <pthread.h>
#include <sched.h>

#include "prog.h"

struct player {
	int in, out, cpu, serves;
	long rounds;
	double off_s;
	pthread_t thread;
};

static double process_cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pin(int nth)
{
	cpu_set_t all, one;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (nth %= CPU_COUNT(&all); !CPU_ISSET(cpu, &all) || nth-- > 0;)
		cpu++;
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void send_ball(const struct player *p)
{
	if (write(p->out, "", 1) != 1)
		_exit(1);
}

FRAME void await_ball(const struct player *p)
{
	char c;

	if (read(p->in, &c, 1) != 1)
		_exit(1);
}

static void *play(void *data)
{
	struct player *p = data;
	double start, cpu;

	pin(p->cpu);
	start = now_s(), cpu = cpu_s();
	if (p->serves)
		send_ball(p);
	for (long i = 0; i < p->rounds; i++) {
		await_ball(p);
		if (i + 1 < p->rounds || !p->serves)
			send_ball(p);
	}
	p->off_s = now_s() - start - (cpu_s() - cpu);
	return NULL;
}

int main(int argc, char **argv)
{
	const int pairs = (int)arg(argc, argv, 1, 1);
	const long rounds = (long)arg(argc, argv, 2, 100000);
	struct player *p = calloc(2 * (size_t)pairs, sizeof(*p));
	double start, cpu, off_s = 0;

	for (int i = 0; i < pairs; i++) {
		int there[2], back[2];

		if (pipe(there) || pipe(back))
			return 1;
		p[2 * i] = (struct player){back[0], there[1], i, 1, rounds, 0, 0};
		p[2 * i + 1] = (struct player){there[0], back[1], i, 0, rounds, 0, 0};
	}
	wait_for_line();
	start = now_s(), cpu = cpu_s();
	for (int i = 0; i < 2 * pairs; i++)
		pthread_create(&p[i].thread, NULL, play, &p[i]);
	for (int i = 0; i < 2 * pairs; i++) {
		pthread_join(p[i].thread, NULL);
		off_s += p[i].off_s;
	}
	off_s += now_s() - start - (cpu_s() - cpu);
	printf("round_ns=%.0f cpu_ns=%.0f off_ns=%.0f\n", (now_s() - start) / (double)rounds * 1e9,
	       process_cpu_s() / (double)rounds * 1e9, off_s * 1e9);
	free(p);
	return 0;
}
