/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_reason: what a thread waits in. While it is off the CPU, and when it has just come back to
 * one, it is inside the system call or fault in which it left it, so that its saved registers hold
 * the call's number and arguments. Only for samples, so all reads may be probing ones.
 */
#include "source/offcpu.h"

/* Numbers of x86-64, whose first two arguments are an array of struct pollfd, which begins with a
 * descriptor, and its length. */
#define CALL_POLL  7
#define CALL_PPOLL 271

/* Of an inode's mode: pipes and sockets, which their inodes name. */
#define TYPE_BITS   0170000
#define TYPE_PIPE   0010000
#define TYPE_SOCKET 0140000

/* What the file is called. It may be closed, and its process gone, before the loader could look. */
static __always_inline void read_name(struct file *file, struct wire_reason *reason)
{
	const __u16 type = reason->mode & TYPE_BITS;
	struct dentry *at, *folder;

	if (type == TYPE_PIPE || type == TYPE_SOCKET)
		return;
	at = BPF_CORE_READ(file, f_path.dentry);
	folder = BPF_CORE_READ(at, d_parent);
	if (folder == at)
		return;
	bpf_probe_read_kernel_str(reason->name, sizeof(reason->name),
				  BPF_CORE_READ(at, d_name.name));
	bpf_probe_read_kernel_str(reason->folder, sizeof(reason->folder),
				  BPF_CORE_READ(folder, d_name.name));
}

/* The file behind a descriptor of @task: its inode, what kind that is, and its name. */
static __always_inline void read_file(struct task_struct *task, __u64 descriptor,
				      struct wire_reason *reason)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file = NULL;
	struct inode *inode;

	if (descriptor >= BPF_CORE_READ(table, max_fds))
		return;
	bpf_probe_read_kernel(&file, sizeof(file), files + descriptor);
	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	reason->inode = BPF_CORE_READ(inode, i_ino);
	reason->mode = BPF_CORE_READ(inode, i_mode);
	read_name(file, reason);
}

/* A thread that polls a single descriptor, of @n, waits for that. Only the current task's user
 * memory can be read. */
static __always_inline void read_polled(struct task_struct *task, __u64 n,
					struct wire_reason *reason)
{
	__u32 descriptor;

	if ((reason->call != CALL_POLL && reason->call != CALL_PPOLL) ||
	    reason->flags & WIRE_REASON_COMPAT || n != 1 || task != bpf_get_current_task_btf())
		return;
	if (bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)reason->argument))
		return;
	reason->flags |= WIRE_REASON_POLLED;
	reason->argument = descriptor;
}

/* A system call that the kernel goes on with by itself after a signal is restart_syscall then, with
 * the arguments of the original one. */
static __always_inline void read_call(struct task_struct *task, struct pt_regs___kernel *saved,
				      struct wire_reason *reason)
{
	__u64 first = saved->di;

	if (is_compat(task)) {
		reason->flags |= WIRE_REASON_COMPAT;
		first = (__u32)saved->bx;
	}
	reason->call = saved->orig_ax;
	reason->argument = first;
	read_polled(task, saved->si, reason);
	read_file(task, reason->argument, reason);
}

void offcpu_reason(struct task_struct *task, struct wire_reason *reason)
{
	struct pt_regs___kernel *saved;

	/* A thread that waits for a disk resets the mark only once it has left the scheduler. */
	if (BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait))
		reason->flags |= WIRE_REASON_IO;
	reason->call = WIRE_NO_CALL;
	if (!BPF_CORE_READ(task, mm))
		return;
	saved = (void *)bpf_task_pt_regs(task);
	/* A kernel thread that borrows an mm has no user code. */
	if (!(saved->cs & 3))
		return;
	reason->flags |= WIRE_REASON_USER;
	if ((long)saved->orig_ax >= 0)
		read_call(task, saved, reason);
}
