/* switches N [US]: sleeps that often for so long, each a context switch and a wake-up by a timer;
 * says how many switches the kernel counted for it. */
#include <sys/resource.h>
#include <time.h>

#include "prog.h"

int main(int argc, char **argv)
{
	struct timespec t = {.tv_nsec = (long)arg(argc, argv, 2, 100) * 1000};
	struct rusage use;

	for (int n = (int)arg(argc, argv, 1, 400); n; n--)
		nanosleep(&t, NULL);
	getrusage(RUSAGE_SELF, &use);
	printf("switches=%ld\n", use.ru_nvcsw + use.ru_nivcsw);
	return 0;
}
