/* syscalls SECONDS: nearly all of its time in the kernel, reading /dev/zero in read_zeros. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "prog.h"

static char buffer[1 << 16];

FRAME long read_zeros(int fd)
{
	return syscall(SYS_getppid) + read(fd, buffer, sizeof(buffer));
}

int main(int argc, char **argv)
{
	double end = cpu_s() + arg(argc, argv, 1, 2);
	int fd = open("/dev/zero", O_RDONLY);
	struct rusage use;
	long rounds = 0;

	if (fd < 0)
		return 1;
	while (cpu_s() < end)
		for (int i = 0; i < 100; i++, rounds++)
			read_zeros(fd);
	getrusage(RUSAGE_SELF, &use);
	printf("pid=%d rounds=%ld user_us=%ld system_us=%ld\n", getpid(), rounds,
	       use.ru_utime.tv_sec * 1000000 + use.ru_utime.tv_usec,
	       use.ru_stime.tv_sec * 1000000 + use.ru_stime.tv_usec);
	return 0;
}
