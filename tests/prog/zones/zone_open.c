/*
 * zone_open FILE: a thread is within zo_outer when the capture comes, which waits until FILE's
 * first byte is 1; then zo_inner is called ten times, zo_outer returns, and zo_stays is entered,
 * which waits until that byte is 2. So one call has begun before a capture between the two, and one
 * has not ended. Says where it is on stdout.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "prog.h"

static const volatile char *gate;
static volatile uint64_t sink;

static void wait_until(char byte)
{
	while (*gate != byte)
		usleep(1000);
}

FRAME void zo_inner(void)
{
	sink += turns(1, 100);
}

FRAME void zo_outer(void)
{
	wait_until('1');
	for (int i = 0; i < 10; i++)
		zo_inner();
}

FRAME void zo_stays(void)
{
	puts("stays");
	fflush(stdout);
	wait_until('2');
	sink++;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDONLY);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return 99;
	gate = at;
	puts("ready");
	fflush(stdout);
	zo_outer();
	zo_stays();
	puts("done");
	return 0;
}
