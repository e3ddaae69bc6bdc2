/* pagefault PAGES: touches that many fresh pages, one page fault each, in touch_pages. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "prog.h"

FRAME void touch_pages(volatile char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i * 4096] = 1;
}

int main(int argc, char **argv)
{
	size_t pages = arg(argc, argv, 1, 10000);
	struct rusage before, after;
	char *p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED || madvise(p, pages * 4096, MADV_NOHUGEPAGE))
		return 1;
	getrusage(RUSAGE_SELF, &before);
	touch_pages(p, pages);
	getrusage(RUSAGE_SELF, &after);
	printf("pid=%d pages=%zu faults=%ld\n", getpid(), pages,
	       after.ru_minflt - before.ru_minflt);
	return 0;
}
