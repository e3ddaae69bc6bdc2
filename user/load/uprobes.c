#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "load/uprobes.h"

/* The part of union bpf_attr for BPF_LINK_CREATE of uprobe_multi. */
struct link_create {
	uint32_t program_fd, target_fd, attach_type, link_flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, flags, pid, none;
};

int uprobes_bpf(int cmd, const void *attr, size_t bytes)
{
	long r = syscall(SYS_bpf, cmd, attr, bytes);

	return r < 0 ? -errno : (int)r;
}

/* Loads an empty program with that attach type; -EINVAL if the kernel does not have it. */
static int load_nothing(enum uprobes_attach attach)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_KPROBE,
			       .expected_attach_type = attach,
			       .insns = (uintptr_t)nothing,
			       .insn_cnt = sizeof(nothing) / sizeof(*nothing),
			       .license = (uintptr_t) "GPL"};

	return uprobes_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

int uprobes_link(const struct uprobes_link *link)
{
	struct link_create attr = {.program_fd = (uint32_t)link->program_fd,
				   .attach_type = link->attach,
				   .path = (uintptr_t)link->path,
				   .offsets = (uintptr_t)link->offsets,
				   .ref_ctr_offsets = (uintptr_t)link->semaphores,
				   .cookies = (uintptr_t)link->cookies,
				   .count = (uint32_t)link->n,
				   .pid = link->pid};

	return uprobes_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

/* Links to the folder "/", which has no code: EBADF shows that the kernel got as far as the
 * file. */
int uprobes_try(enum uprobes_attach attach)
{
	_close_ int program = load_nothing(attach);
	const uint64_t offset = 0;
	struct uprobes_link link = {
		.program_fd = program, .attach = attach, .path = "/", .offsets = &offset, .n = 1};
	int r;

	if (program < 0)
		return program;
	r = uprobes_link(&link);
	return r == -EBADF ? 0 : r < 0 ? r : -EINVAL;
}
