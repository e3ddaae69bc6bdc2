// cflags: -O2 -fomit-frame-pointer
/* nostack SECONDS: spins in inner, called by outer upon a stack of its own, of which the page that
 * holds outer's frame is gone meanwhile. */
#include <sys/mman.h>
#include <ucontext.h>

#include "prog.h"

enum { PAGE = 4096, PAGES = 16 };

static char *stack;
static double seconds;

FRAME uint64_t inner(uint64_t x)
{
	if (munmap(stack + (PAGES - 1) * PAGE, PAGE))
		_exit(1);
	spin_for(seconds);
	printf("pid=%d\n", getpid());
	fflush(stdout);
	_exit(0);
	return x;
}

/* So large that its caller's frame lies on another page. */
FRAME uint64_t large(uint64_t x)
{
	volatile char room[2 * PAGE];

	room[x] = 1;
	return inner(x) + room[x];
}

FRAME void outer(void)
{
	seconds += large(seconds > 0) == 2;
}

int main(int argc, char **argv)
{
	ucontext_t here, there;

	seconds = arg(argc, argv, 1, 2);
	stack = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (stack == MAP_FAILED || getcontext(&there))
		return 1;
	there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = PAGES * PAGE};
	there.uc_link = &here;
	makecontext(&there, outer, 0);
	return swapcontext(&here, &there);
}
