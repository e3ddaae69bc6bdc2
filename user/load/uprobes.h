/*
 * uprobes: calls of bpf(2) for uprobes that are newer than the headers and libbpf of Debian 12:
 * links of many probes at once (uprobe_multi, 6.6), and of sessions (6.13).
 */
#ifndef LOAD_UPROBES_H
#define LOAD_UPROBES_H

#include <stddef.h>
#include <stdint.h>

/* enum bpf_attach_type of include/uapi/linux/bpf.h; 0: one perf event per probe. */
enum uprobes_attach {
	UPROBES_PERF = 0,
	UPROBES_MULTI = 48,
	UPROBES_SESSION = 57,
};

/* bpf(2), which libc does not wrap: a descriptor or 0, or a negative errno without a text. */
int uprobes_bpf(int cmd, const void *attr, size_t bytes);

/* 0 if the kernel has it, else a negative errno without a text: -EINVAL, -EPERM. */
int uprobes_try(enum uprobes_attach);

struct uprobes_link {
	int program_fd;
	enum uprobes_attach attach;			/* not PERF */
	const char *path;				/* of the file */
	const uint64_t *offsets, *cookies, *semaphores; /* as in struct probe */
	size_t n;
	uint32_t pid; /* a process; 0: all */
};
/* The link's descriptor; closing it detaches the probes. A negative errno without a text. */
int uprobes_link(const struct uprobes_link *);

#endif
