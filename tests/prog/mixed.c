/*
 * mixed: a thread that naps at one place in its code, for 0.1 ms most times (m_often) and now and
 * then for 90 ms (m_seldom). Prints "NAME=NS", the time off the CPU in each function by its own
 * clocks, and "NAME.waits=N".
 */
#include "prog.h"

#define ROUNDS	 20
#define OFTEN	 300
#define SHORT_NS 100000
#define LONG_NS	 90000000

static struct timespec span;

FRAME void m_often(void)
{
	span.tv_nsec = SHORT_NS;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
	__asm__ volatile(""); /* no tail call */
}

FRAME void m_seldom(void)
{
	span.tv_nsec = LONG_NS;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
	__asm__ volatile("");
}

/* Time off the CPU in @n calls. */
static double off_s(void (*nap)(void), int n)
{
	const double start = now_s(), cpu = cpu_s();

	for (int i = 0; i < n; i++)
		nap();
	return now_s() - start - (cpu_s() - cpu);
}

int main(void)
{
	double often = 0, seldom = 0;

	for (int i = 0; i < ROUNDS; i++) {
		often += off_s(m_often, OFTEN);
		seldom += off_s(m_seldom, 1);
	}
	printf("m_often=%.0f m_often.waits=%d\n", often * 1e9, ROUNDS * OFTEN);
	printf("m_seldom=%.0f m_seldom.waits=%d\n", seldom * 1e9, ROUNDS);
	return 0;
}
