// cflags: -O2 -fomit-frame-pointer
/*
 * zone_burst QUIET_MS BURST_MS TURNS: calls zb_work() a thousand times or less in each second of
 * its CPU time for QUIET_MS of it, then as often as it can for BURST_MS, then is quiet for half a
 * second; a call takes TURNS turns. Says "calls zb_work N" and "burst N": how many calls those of
 * the burst were. Status 31.
 */
#include "zone.h"

static volatile uint64_t sink;

FRAME uint64_t zb_work(uint64_t x)
{
	__asm__ volatile("" : : : "rbx");
	return turns(x, sink);
}

static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t quiet(uint64_t ms)
{
	uint64_t n = 0, until = cpu_ms() + ms, last = 0;

	while (cpu_ms() < until) {
		if (cpu_ms() == last)
			continue;
		last = cpu_ms();
		zb_work(n++);
	}
	return n;
}

static uint64_t burst(uint64_t ms)
{
	uint64_t n = 0, until = cpu_ms() + ms;

	while (n % 64 || cpu_ms() < until)
		zb_work(n++);
	return n;
}

int main(int argc, char **argv)
{
	uint64_t calls, dense;

	sink = (uint64_t)arg(argc, argv, 3, 10);
	calls = quiet((uint64_t)arg(argc, argv, 1, 1000));
	dense = burst((uint64_t)arg(argc, argv, 2, 2000));
	calls += dense + quiet(500);
	printf("calls zb_work %lu\nburst %lu\n", (unsigned long)calls, (unsigned long)dense);
	return 31;
}
