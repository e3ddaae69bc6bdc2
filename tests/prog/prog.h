/*
 * prog: what the targets share. Each target is one small program whose answer is known: it
 * prints it on stdout as key=value words, and ends by itself. SECONDS in its usage are seconds of
 * CPU time, where it does not say otherwise: there are as many samples of them on a busy machine.
 */
#ifndef PROG_H
#define PROG_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Never inlined, cloned or merged: a frame of its own under its own name. */
#define FRAME __attribute__((noipa))

/* @n turns of one dependency chain: it takes the same time wherever the compiler puts it. */
static inline __attribute__((always_inline)) uint64_t turns(uint64_t x, uint64_t n)
{
	while (n--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x), "+r"(n)); /* one loop, however it is called */
	}
	return x;
}

static inline double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Time of this thread on a CPU: shares of it are the same on a busy machine. */
static inline double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* That for a time, within the caller's own frame. Asking the clock is a system call: seldom. */
static inline __attribute__((always_inline)) uint64_t spin_for(double seconds)
{
	double end = cpu_s() + seconds;
	uint64_t x = 1;

	while (cpu_s() < end)
		x = turns(x, 100000);
	return x;
}

/* What the machine's host took from its CPUs so far: time neither on a CPU nor off it. */
static inline uint64_t stolen_ns(void)
{
	unsigned long ticks = 0;
	FILE *f = fopen("/proc/stat", "r");

	if (!f || fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %lu", &ticks) != 1)
		ticks = 0;
	if (f)
		fclose(f);
	return ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* A target that is attached to waits for a line on its stdin: what it does then is all seen. One
 * that is started by eprof finds none there. */
static inline void wait_for_line(void)
{
	char line[16];

	if (getenv("WAIT") && read(STDIN_FILENO, line, sizeof(line)) < 0)
		_exit(1);
}

/* Argument @i as a number, @otherwise where there is none. */
static inline double arg(int argc, char **argv, int i, double otherwise)
{
	return i < argc ? atof(argv[i]) : otherwise;
}

#endif
