// cflags: -pthread
/*
 * grows HOW PAGES [THREADS]: adds PAGES to its memory in `once` and twice as many in `twice`, in
 * turns of ten, so that neither comes first; HOW says what memory. It prints what getrusage() and
 * /proc/self/statm say of it, in pages: rss= (at the end, less than at the start of main), faults=.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "prog.h"

#define PAGE 4096L
#define TURN 10

static void touch(volatile char *at, long pages)
{
	for (long i = 0; i < pages; i++)
		at[i * PAGE] = 1;
}

FRAME void once(char *at, long pages)
{
	touch(at, pages);
	__asm__ volatile("");
}

FRAME void twice(char *at, long pages)
{
	touch(at, 2 * pages);
	__asm__ volatile("");
}

static void touch_all(char *at, long pages)
{
	for (long i = 0; i + TURN <= pages; i += TURN) {
		once(at + 3 * i * PAGE, TURN);
		twice(at + (3 * i + TURN) * PAGE, TURN);
	}
}

static char *map(long pages, int flags, int fd)
{
	char *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		_exit(2);
	madvise(at, pages * PAGE, MADV_NOHUGEPAGE);
	return at;
}

static char *map_file(long pages)
{
	char name[] = "/tmp/growsXXXXXX", full[PAGE];
	int fd = mkstemp(name);

	memset(full, 1, sizeof(full));
	unlink(name);
	for (long i = 0; i < pages; i++)
		if (write(fd, full, sizeof(full)) != sizeof(full))
			_exit(2);
	/* A page at a time, not those around it. */
	return map(pages, MAP_PRIVATE, fd);
}

static char *map_shared(long pages)
{
	int fd = memfd_create("grows", 0);

	if (ftruncate(fd, pages * PAGE))
		_exit(2);
	return map(pages, MAP_SHARED, fd);
}

static char *map_huge(long huge)
{
	char *at = map(huge * 1024, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	at = (char *)(((uintptr_t)at + (1 << 21) - 1) >> 21 << 21);
	madvise(at, (size_t)huge << 21, MADV_HUGEPAGE);
	return at;
}

static long rss(void)
{
	long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages;
}

static long faults(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_minflt + use.ru_majflt;
}

static void *thread(void *of)
{
	const long pages = *(long *)of;

	touch_all(map(3 * pages, MAP_PRIVATE | MAP_ANONYMOUS, -1), pages);
	return NULL;
}

static void run_threads(int n, long pages)
{
	pthread_t all[64];

	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&all[i], NULL, thread, &pages);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(all[i], NULL);
}

/* The child writes to what the parent has written to. */
static void run_copies(long pages)
{
	char *at = map(3 * pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	memset(at, 1, 3 * pages * PAGE);
	if (!fork()) {
		touch_all(at, pages);
		_exit(0);
	}
	wait(NULL);
}

static void run_huge(long pages)
{
	for (long i = 0; i < pages; i++)
		once(map_huge(1), 1);
}

/* Gives a part back before the next one. */
static void run_back(const char *how, long pages)
{
	for (long i = 0; i < pages; i += 100) {
		char *at = map(300, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		touch_all(at, 100);
		if (!strcmp(how, "munmap"))
			munmap(at, 300 * PAGE);
		else
			madvise(at, 300 * PAGE, MADV_DONTNEED);
	}
}

static char *map_how(const char *how, long pages)
{
	if (!strcmp(how, "anonymous"))
		return map(pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!strcmp(how, "populate"))
		return map(pages, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
	if (!strcmp(how, "brk"))
		return (char *)(((uintptr_t)sbrk((pages + 1) * PAGE) + PAGE - 1) & ~(PAGE - 1));
	if (!strcmp(how, "file"))
		return map_file(pages);
	if (!strcmp(how, "shared"))
		return map_shared(pages);
	return NULL;
}

static void run(const char *how, long pages, int threads)
{
	char *at = map_how(how, 3 * pages);

	if (at)
		touch_all(at, pages);
	else if (!strcmp(how, "huge"))
		run_huge(pages);
	else if (!strcmp(how, "threads"))
		run_threads(threads, pages / threads);
	else if (!strcmp(how, "copies"))
		run_copies(pages);
	else
		run_back(how, pages);
}

int main(int argc, char **argv)
{
	const long pages = (long)arg(argc, argv, 2, 1000);
	long rss0, faults0;

	wait_for_line();
	(void)faults();
	(void)rss();
	rss0 = rss();
	faults0 = faults();
	run(argc > 1 ? argv[1] : "anonymous", pages, (int)arg(argc, argv, 3, 64));
	faults0 = faults() - faults0;
	printf("rss=%ld faults=%ld\n", rss() - rss0, faults0);
	return 0;
}
