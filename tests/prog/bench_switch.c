/*
 * bench_switch TRACEPOINT…: attaches an empty program to tracepoints of the kernel until its
 * standard input ends: for tools/bench, the lowest cost of a program there. Prints "ready".
 */
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>

#include "prog.h"

static int bpf(int cmd, const void *attr, size_t bytes)
{
	int r = (int)syscall(SYS_bpf, cmd, attr, bytes);

	if (r < 0) {
		perror("bench_switch");
		exit(1);
	}
	return r;
}

static int load_nothing(void)
{
	const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (uintptr_t)nothing;
	attr.insn_cnt = sizeof(nothing) / sizeof(*nothing);
	attr.license = (uintptr_t) "GPL";
	return bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	union bpf_attr attr;
	char line[16];

	for (int i = 1; i < argc; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.raw_tracepoint.name = (uintptr_t)argv[i];
		attr.raw_tracepoint.prog_fd = (uint32_t)load_nothing();
		bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
	}
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, line, sizeof(line)) > 0)
		;
	return 0;
}
