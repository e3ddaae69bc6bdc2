/*
 * zone_usage PAGES SLEEPS: what the kernel accounts for in functions: zu_faults touches PAGES new
 * pages, zu_sleeps sleeps SLEEPS times 10 ms, zu_spins is on the CPU for 50 ms of its time,
 * zu_calls is in system calls that need the CPU until the kernel has accounted for 100 ms in
 * them, which it does by ticks; zu_all calls them all. Says how fast the time stamp counter runs,
 * and how often it gave up the CPU in zu_sleeps: SLEEPS times, or more often where others hold the
 * locks that a page fault or another's probe needs; and how many milliseconds it was blocked there:
 * a sleeper that waits for a CPU before its switch is blocked for less than it sleeps.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "prog.h"

static volatile uint64_t sink;

FRAME void zu_faults(int pages)
{
	char *at = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(99);
	madvise(at, (size_t)pages * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < pages; i++)
		((volatile char *)at)[i * 4096] = 1;
	munmap(at, (size_t)pages * 4096);
}

FRAME void zu_sleeps(int n)
{
	struct timespec t = {.tv_nsec = 10000000};

	while (n--)
		nanosleep(&t, NULL);
}

FRAME void zu_spins(double seconds)
{
	sink += spin_for(seconds);
}

static double system_s(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return (double)use.ru_stime.tv_sec + (double)use.ru_stime.tv_usec / 1e6;
}

FRAME void zu_calls(double seconds)
{
	double end = system_s() + seconds;
	/* So large that nearly all ticks find the kernel copying. */
	static char block[1 << 20];
	int zero = open("/dev/zero", O_RDONLY);

	while (zero >= 0 && system_s() < end)
		for (int i = 0; i < 16; i++)
			sink += (uint64_t)read(zero, block, sizeof(block));
}

static long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nvcsw;
}

/* How long this thread has waited for a CPU, in seconds. */
static double waited_s(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	double ns = 0;

	if (!f || fscanf(f, "%*f %lf", &ns) != 1)
		exit(98);
	fclose(f);
	return ns / 1e9;
}

FRAME void zu_all(int pages, int sleeps)
{
	double wall, cpu, waited;
	long before;

	zu_faults(pages);
	waited = waited_s(), before = switches(), cpu = cpu_s(), wall = now_s();
	zu_sleeps(sleeps);
	wall = now_s() - wall, cpu = cpu_s() - cpu;
	printf("nvcsw=%ld\n", switches() - before);
	printf("blocked_ms=%.0f\n", (wall - cpu - (waited_s() - waited)) * 1000);
	zu_spins(0.05);
	zu_calls(0.1);
}

/* Of the processor's time stamp counter, over 10 ms. */
static uint64_t ticks_per_us(void)
{
	struct timespec t, u;
	uint64_t start = __builtin_ia32_rdtsc(), ns;

	clock_gettime(CLOCK_MONOTONIC, &t);
	do {
		clock_gettime(CLOCK_MONOTONIC, &u);
		ns = (uint64_t)(u.tv_sec - t.tv_sec) * 1000000000 + (uint64_t)u.tv_nsec -
		     (uint64_t)t.tv_nsec;
	} while (ns < 10000000);
	return (__builtin_ia32_rdtsc() - start) * 1000 / ns;
}

int main(int argc, char **argv)
{
	printf("ticks_per_us=%lu\n", ticks_per_us());
	zu_all((int)arg(argc, argv, 1, 1000), (int)arg(argc, argv, 2, 10));
	printf("pid=%d\n", getpid());
	return 0;
}
