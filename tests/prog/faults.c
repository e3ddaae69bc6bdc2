/* faults ROUNDS: 1,000 page faults a round, each fourth in touch_seldom, the others in touch_often;
 * says how many the kernel counted for it. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "prog.h"

enum { PAGES = 1000, PAGE = 4096 };

FRAME void touch_seldom(volatile char *page)
{
	*page = 1;
}

FRAME void touch_often(volatile char *page)
{
	*page = 2;
}

static void round_of(char *p)
{
	for (int i = 0; i < PAGES; i++) {
		if (i % 4)
			touch_often(p + i * PAGE);
		else
			touch_seldom(p + i * PAGE);
	}
	madvise(p, PAGES * PAGE, MADV_DONTNEED);
}

int main(int argc, char **argv)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	struct rusage use;

	if (p == MAP_FAILED || madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE))
		return 1;
	for (int rounds = (int)arg(argc, argv, 1, 50); rounds; rounds--)
		round_of(p);
	getrusage(RUSAGE_SELF, &use);
	printf("faults=%ld\n", use.ru_minflt + use.ru_majflt);
	return 0;
}
