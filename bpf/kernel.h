/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel: the few kernel types that the programs read, reduced to the members they use; CO-RE
 * locates these on the running kernel. Declare every kernel type here and only once: for each named
 * type libbpf searches all types of the kernel, which takes most of the start-up time.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define CORE __attribute__((preserve_access_index))

/* Of both locks the owner is a struct task_struct with flags in its low bits. */
struct lock_owner {
	long counter;
} CORE;

struct mutex {
	struct lock_owner owner;
} CORE;

struct rw_semaphore {
	struct lock_owner owner;
} CORE;

/* The kernel's atomic_long_t. */
struct atomic_long {
	long counter;
} CORE;

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic; /* of its file system: linux/magic.h */
} CORE;

struct inode {
	unsigned long i_ino;
	unsigned int i_generation;
	unsigned short i_mode;
	struct super_block *i_sb;
} CORE;

struct qstr {
	const unsigned char *name;
} CORE;

struct dentry {
	struct dentry *d_parent; /* itself: it is the root of its file system, or in no folder */
	struct qstr d_name;
} CORE;

struct path {
	struct dentry *dentry;
} CORE;

struct file {
	struct path f_path;
	struct inode *f_inode;
} CORE;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} CORE;

struct files_struct {
	struct fdtable *fdt;
} CORE;

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
} CORE;

struct maple_tree {
	void *ma_root;
} CORE;

struct xol_area {
	unsigned long vaddr; /* where the trampoline of return probes is */
} CORE;

struct uprobes_state {
	struct xol_area *xol_area;
} CORE;

typedef struct {
	__u64 ctx_id; /* that no other has, ever */
	void *vdso;
} CORE mm_context_t;

/* Since Linux 6.2: its value is count and what each CPU has not added to it yet. */
struct percpu_counter {
	__s64 count;
	__s32 *counters; /* of a CPU: this address and the CPU's offset */
} CORE;

struct mm_struct {
	struct maple_tree mm_mt;
	struct percpu_counter rss_stat[4]; /* since Linux 6.2 */
	struct {
		int counter;
	} mm_users;
	struct {
		struct {
			long counter; /* its low bits: see sample/asleep.bpf.c */
		} count;
	} mmap_lock;
	unsigned long exec_vm; /* pages mapped as code */
	unsigned long start_stack;
	unsigned long arg_start, arg_end; /* the arguments of its program, each with its NUL */
	struct uprobes_state uprobes_state;
	mm_context_t context;
} CORE;

/* Before Linux 6.2: a process's count, and what each thread has not added to it yet. */
struct mm_rss_stat {
	struct atomic_long count[4];
} CORE;

struct mm_struct___old {
	struct mm_rss_stat rss_stat;
} CORE;

struct task_rss_stat {
	int count[4];
} CORE;

struct task_struct___old {
	struct task_rss_stat rss_stat;
} CORE;

struct return_instance {
	unsigned long stack; /* where the return address was */
	unsigned long orig_ret_vaddr;
	bool chained; /* another probe on the same return: has no address of its own on the stack */
	struct return_instance *next;
} CORE;

struct uprobe_task {
	struct return_instance *return_instances; /* innermost first */
	unsigned int depth;			  /* their number */
	unsigned long vaddr, xol_vaddr; /* of the instruction being stepped, and of its copy */
} CORE;

struct thread_struct {
	unsigned long fsbase, sp; /* sp: of a thread off the CPU, at its inactive_task_frame */
} CORE;

/* What __switch_to_asm() restores, on the kernel stack of a thread off the CPU. */
struct inactive_task_frame {
	unsigned long ret_addr; /* of a new thread: where it begins */
} CORE;

struct task_io_accounting {
	__u64 read_bytes, write_bytes;
} CORE;

struct signal_struct {
	struct {
		int counter;
	} live;		    /* threads that have not exited */
	unsigned int flags; /* SIGNAL_… */
	int group_exit_code;
	struct mm_struct *oom_mm; /* set where the kernel kills it for lack of memory */
	void *pids[4]; /* struct pid by enum pid_type; NULL once the process was waited for */
} CORE;

/* The threads of a group on a CPU. */
struct cfs_rq {
	__u64 throttled_clock_self_time; /* ns that the quota of a group kept them off it */
	int throttle_count;		 /* not 0: one does now */
} CORE;

struct sched_entity {
	__u64 sum_exec_runtime; /* ns on a CPU */
	struct cfs_rq *cfs_rq;
} CORE;

struct cfs_bandwidth {
	__u64 period, quota; /* ns; quota ~0: no limit */
} CORE;

struct task_group {
	struct task_group *parent;
	struct cfs_bandwidth cfs_bandwidth;
} CORE;

struct kernfs_node {
	__u64 id; /* the inode number of the cgroup's folder */
} CORE;

struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
} CORE;

struct cgroup {
	struct cgroup_subsys_state self; /* its parent is the parent's self */
	struct kernfs_node *kn;
} CORE;

enum cgroup_subsys_id { memory_cgrp_id = 4 };
enum memcg_memory_event { MEMCG_OOM_KILL = 5 };

/* In pages. */
struct page_counter {
	struct atomic_long usage;
	unsigned long max;
} CORE;

/* Begins with its cgroup_subsys_state. */
struct mem_cgroup {
	struct page_counter memory;
	struct atomic_long memory_events[6];
} CORE;

struct css_set {
	struct cgroup_subsys_state *subsys[4];
	struct cgroup *dfl_cgrp; /* in the v2 hierarchy */
} CORE;

/* Empty on kernels that do not keep it. */
struct sched_info {
	unsigned long long run_delay; /* ns that it was runnable without running */
	/* By the clock of run queues: when it last came to a CPU, and since when it is runnable
	 * without one (0: it is not). */
	unsigned long long last_arrival, last_queued;
} CORE;

struct thread_info {
	unsigned int status; /* bit 1: in a system call of i386 */
	unsigned int cpu;    /* that it is, or waits, on */
} CORE;

struct sigpending {
	struct {
		unsigned long sig[1];
	} signal;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	unsigned int __state; /* 0: runnable */
	unsigned int flags;   /* PF_… */
	__u64 start_time;     /* CLOCK_MONOTONIC, ns */
	char comm[16];	      /* the thread's name */
	int static_prio;      /* 120 + nice */
	struct sched_entity se;
	struct task_group *sched_task_group;
	struct sched_info sched_info;
	unsigned int self_exec_id; /* grows with each exec of the process */
	unsigned int in_execve : 1, in_iowait : 1;
	int exit_code;
	int on_cpu, exit_state; /* on_cpu 0: not on a CPU; exit_state 0: has not exited */
	struct mm_struct *mm;	/* NULL for a kernel thread */
	struct task_struct *real_parent, *group_leader;
	struct signal_struct *signal;
	struct sigpending pending; /* of the thread alone; SIGKILL is in each one's */
	struct files_struct *files;
	struct css_set *cgroups;
	struct uprobe_task *utask;
	struct thread_struct thread;
	void *thread_pid; /* struct pid; NULL once it has exited and nobody waits for it */
	unsigned long min_flt, maj_flt, nvcsw, nivcsw;
	struct task_io_accounting ioac;
	void *bpf_storage; /* NULL: no task storage has a value for it */
} CORE;

/* Of a map: an array by CPU, as programs find it behind the map's own address. */
struct bpf_array {
	void *pptrs[1];
} CORE;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq; /* what the program writes, read(2) on the iterator returns */
	__u64 session_id;     /* of this walk alone */
	__u64 seq_num;	      /* 0: its first task */
} CORE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL at the end */
};

/* The 64-bit register frame; linux/ptrace.h declares the same under user-space names. */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, sp;
} CORE;

/* The current task, for BPF_CORE_READ. Reading through the pointer of bpf_get_current_task_btf() is
 * faster, but the verifier of 6.18 goes through all kernel types for each such pointer. */
static __always_inline struct task_struct *current_task(void)
{
	return (void *)bpf_get_current_task();
}

/* thread_info.status of a thread in a call of i386: arch/x86/include/asm/thread_info.h */
#define TS_COMPAT 0x2

static __always_inline bool is_compat(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread_info.status) & TS_COMPAT;
}

#endif
