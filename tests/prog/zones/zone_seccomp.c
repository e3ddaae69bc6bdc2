// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_seccomp WAY ROUNDS: a process that may do little more than read, write and exit. WAY:
 * strict; filter, where any other system call kills it. Anything more done in its name ends it
 * with SIGKILL or SIGSYS instead of status 19.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "zone.h"

FRAME uint64_t zc_leaf(uint64_t x)
{
	return turns(x, 20);
}

FRAME uint64_t zc_down(int depth)
{
	return depth ? zc_down(depth - 1) * 3 + 1 : zc_leaf(5);
}

FRAME uint64_t zc_read(int fd)
{
	uint8_t byte = 0;

	return read(fd, &byte, 1) == 1 ? byte : 256;
}

#define ALLOW(number)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

FRAME int zc_confine(int strict)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read),
		ALLOW(write),
		ALLOW(exit),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (strict)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY), status;

	rounds_open(argc, argv, 2, 50);
	setvbuf(stdout, NULL, _IOFBF, 1 << 12);
	printf("confined\n");
	fflush(stdout);
	if (zc_confine(argc < 2 || !strcmp(argv[1], "strict")))
		return 1;
	while (rounds_next()) {
		uint64_t sum = 0;

		for (int depth = 0; depth < 20; depth++)
			sum = sum * 31 + zc_down(depth) + zc_read(fd);
		rounds_result(sum);
	}
	rounds_calls("zc_down", 210);
	rounds_calls("zc_leaf", 20);
	rounds_calls("zc_read", 20);
	status = rounds_end(19);
	syscall(SYS_exit, status);
}
