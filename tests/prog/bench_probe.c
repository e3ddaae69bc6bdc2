/*
 * bench_probe entry|session PID FILE OFFSET…: attaches an empty program to the instructions at
 * those offsets of a file, in that process, until a signal comes: for tools/bench, the lowest cost
 * of a probe. entry: the program runs once per call; session: at its return, too. Prints how long
 * it took to attach the probes, and to detach them.
 */
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>

#include "prog.h"

/* Newer than Debian 12's linux/bpf.h: enum bpf_attach_type, and the part of union bpf_attr. */
#define UPROBE_MULTI   48
#define UPROBE_SESSION 57
struct uprobe_multi {
	uint32_t program_fd, target_fd, attach_type, link_flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, flags, pid, none;
};

static int bpf(int cmd, const void *attr, size_t bytes)
{
	int r = syscall(SYS_bpf, cmd, attr, bytes);

	if (r < 0) {
		perror("bench_probe");
		exit(1);
	}
	return r;
}

static int load_nothing(uint32_t attach_type)
{
	const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.expected_attach_type = attach_type;
	attr.insns = (uintptr_t)nothing;
	attr.insn_cnt = sizeof(nothing) / sizeof(*nothing);
	attr.license = (uintptr_t) "GPL";
	return bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	uint32_t type = argc > 1 && !strcmp(argv[1], "session") ? UPROBE_SESSION : UPROBE_MULTI;
	struct uprobe_multi link = {.attach_type = type};
	uint64_t *offsets = calloc(argc, sizeof(*offsets));
	double start, hung;
	sigset_t ends;
	int fd, got;

	if (argc < 5 || !offsets)
		return 2;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	for (int i = 4; i < argc; i++)
		offsets[link.count++] = strtoull(argv[i], NULL, 0);
	link.program_fd = load_nothing(type);
	link.pid = atoi(argv[2]);
	link.path = (uintptr_t)argv[3];
	link.offsets = (uintptr_t)offsets;
	start = now_s();
	fd = bpf(BPF_LINK_CREATE, &link, sizeof(link));
	hung = now_s();
	printf("hung_s=%.6f\n", hung - start);
	fflush(stdout);
	sigwait(&ends, &got);
	start = now_s();
	close(fd);
	printf("away_s=%.6f\n", now_s() - start);
	free(offsets);
	return 0;
}
