/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/code.h"
#include "probe/proc.h"

/* pid → how many times unknown code was loaded: mappings of files that are not in probe_files, and
 * execs; begun and ended. Written and read here. */
struct unseen {
	__u32 begun, ended;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct unseen);
} probe_unseen SEC(".maps");

/* Files whose code tolerates hijacked return addresses. Written by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct wire_probe_file);
	__type(value, __u8);
} probe_files SEC(".maps");

/* Threads about to map code → whether the code is unknown. Written and read by the two programs
 * below. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u32);
} probe_mapping SEC(".maps");

static struct unseen *unseen_of(__u32 pid)
{
	return bpf_map_lookup_elem(&probe_unseen, &pid);
}

bool probe_code_is_seen(void)
{
	__u32 pid = ids_current_process();
	struct wire_probe_proc *proc = probe_proc(pid);
	struct unseen *n = unseen_of(pid);

	return proc && (n ? n->begun : 0) == proc->code_seen;
}

void probe_code_forget(void)
{
	__u32 pid = ids_current_process();

	bpf_map_delete_elem(&probe_unseen, &pid);
}

__u32 probe_code_exec(void)
{
	__u32 pid = ids_current_process();
	struct unseen *n = unseen_of(pid), next = {0};

	next.begun = next.ended = (n ? n->begun : 0) + 1;
	bpf_map_update_elem(&probe_unseen, &pid, &next, BPF_ANY);
	return next.begun;
}

__u32 probe_code_fork(__u32 from, __u32 to)
{
	struct unseen *n = unseen_of(from), copy = {0};

	bpf_map_delete_elem(&probe_unseen, &to);
	if (!n)
		return 0;
	/* In the child no other thread is in the middle of a mapping. */
	copy.begun = copy.ended = n->begun;
	bpf_map_update_elem(&probe_unseen, &to, &copy, BPF_ANY);
	return copy.begun;
}

/* Whether the file open as @fd is one whose code the loader accepted. */
static bool is_known(__u64 fd)
{
	struct task_struct *task = current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file = NULL;
	struct wire_probe_file key = {0};

	if (fd >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), files + fd) || !file)
		return false;
	key.inode = BPF_CORE_READ(file, f_inode, i_ino);
	key.device = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	return bpf_map_lookup_elem(&probe_files, &key) != NULL;
}

/* The current process is about to map code that the loader has not looked at. */
static void begin_unseen(__u32 pid, struct wire_probe_proc *proc)
{
	struct unseen none = {0}, *n;

	bpf_map_update_elem(&probe_unseen, &pid, &none, BPF_NOEXIST);
	n = unseen_of(pid);
	if (n)
		__sync_fetch_and_add(&n->begun, 1);
	else
		proc->flags &= ~WIRE_PROC_HIJACK;
	probe_changed();
}

#define PROT_EXEC     4
#define MAP_ANONYMOUS 32

/* The context of the tracepoints at system calls. */
struct syscall_enter {
	__u64 unused, number, args[6];
};

/* Both return 1: 0 would hide the hit from the tracepoint's other users. */
SEC("?tracepoint")
int probe_mmap_enter(struct syscall_enter *ctx)
{
	__u64 thread = ids_current();
	__u32 pid = thread >> 32, unseen;
	struct wire_probe_proc *proc;

	if (!(ctx->args[2] & PROT_EXEC) || ctx->args[3] & MAP_ANONYMOUS)
		return 1;
	proc = probe_proc(pid);
	if (!proc || !(proc->flags & WIRE_PROC_TARGET))
		return 1;
	unseen = !is_known((__u32)ctx->args[4]);
	if (unseen)
		begin_unseen(pid, proc);
	bpf_map_update_elem(&probe_mapping, &thread, &unseen, BPF_ANY);
	return 1;
}

/* Tells the loader of the mapping. The sideband has it, too, but the loader should look at once:
 * the code may contain zones. */
SEC("?tracepoint")
int probe_mmap_exit(void *ctx)
{
	__u64 thread = ids_current();
	__u32 *mapping = bpf_map_lookup_elem(&probe_mapping, &thread), unseen;
	struct unseen *n;

	if (!mapping)
		return 1;
	unseen = *mapping;
	bpf_map_delete_elem(&probe_mapping, &thread);
	n = unseen_of(thread >> 32);
	if (n && unseen)
		__sync_fetch_and_add(&n->ended, 1);
	probe_news(WIRE_NEWS_MODULE, 0, n ? n->ended : 0);
	return 1;
}
