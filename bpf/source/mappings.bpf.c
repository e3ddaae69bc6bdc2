/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mappings: each system call by which a process of the target changes what is mapped into its
 * address space is a sample with its stack. User space follows what is mapped, piece by piece.
 */
#include "in_target.h"
#include "sample/sample.h"
#include "sample/scratch.h"
#include "shared.h"
#include "source/source_maps.h"
#include "wire_mappings.h"

#define STREAM WIRE_STREAM_mappings

/* By enum wire_mappings_control and wire_mappings_counter. */
SOURCE_MAPS(mappings, WIRE_MAPPINGS_CONTROLS, WIRE_MAPPINGS_COUNTERS)
SOURCE_LAUNCHER(mappings, WIRE_MAPPINGS_LAUNCHER)

SCRATCH_MAP(mappings_scratch, struct wire_mapping)

/* Task → when the munmap or mremap that it is in began. Written and read by that thread alone. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} mappings_began SEC(".maps");

/* x86-64: arch/x86/entry/syscalls/syscall_64.tbl */
enum { CALL_MMAP = 9, CALL_MPROTECT = 10, CALL_MUNMAP = 11, CALL_BRK = 12, CALL_MREMAP = 25 };

static __always_inline bool is_followed(void)
{
	return control(WIRE_MAPPINGS_ON) && in_target() && !is_current_loader() && !is_launcher();
}

static __always_inline void send_change(void *ctx, struct scratch *s)
{
	const __u64 start_ns = s->sample.sample.time_ns;

	end_sample(ctx, NULL, s);
	add_run(WIRE_MAPPINGS_RUNS, WIRE_MAPPINGS_RUN_NS, start_ns);
}

static __always_inline void fill(struct wire_mapping *m, const struct pt_regs___kernel *regs,
				 __u64 number, __u64 result)
{
	const __u64 first = BPF_CORE_READ(regs, di), second = BPF_CORE_READ(regs, si);

	m->start = first;
	m->bytes = second;
	if (number == CALL_MMAP) {
		m->what = WIRE_MAPPED;
		m->start = result;
		m->detail = (__u32)BPF_CORE_READ(regs, dx);
	} else if (number == CALL_MPROTECT) {
		m->what = WIRE_PROTECTED;
		m->detail = (__u32)BPF_CORE_READ(regs, dx);
	} else if (number == CALL_MUNMAP) {
		m->what = WIRE_UNMAPPED;
	} else if (number == CALL_MREMAP) {
		m->what = WIRE_REMAPPED;
		m->old = first;
		m->old_bytes = second;
		m->start = result;
		m->bytes = BPF_CORE_READ(regs, dx);
		m->detail = (__u32)BPF_CORE_READ(regs, r10);
	} else {
		m->what = WIRE_BROKE;
		m->start = result;
		m->bytes = 0;
	}
}

SEC("?tp_btf/sys_enter")
int mappings_enter(__u64 *args)
{
	const __u64 number = args[1];
	__u64 *began;

	if ((number != CALL_MUNMAP && number != CALL_MREMAP) || !is_followed())
		return 0;
	began = bpf_task_storage_get(&mappings_began, bpf_get_current_task_btf(), NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (began)
		*began = bpf_ktime_get_ns();
	return 0;
}

static __always_inline __u64 take_began(struct task_struct *task)
{
	__u64 *began = bpf_task_storage_get(&mappings_began, task, NULL, 0), ns = 0;

	if (began) {
		ns = *began;
		*began = 0;
	}
	return ns;
}

/* The registers of a call hold its arguments until it has returned. */
SEC("?tp_btf/sys_exit")
int mappings_exit(__u64 *args)
{
	const struct pt_regs___kernel *regs = (void *)args[0];
	const __u64 number = BPF_CORE_READ(regs, orig_ax), result = args[1];
	struct scratch *s;

	if (number != CALL_MREMAP && (number < CALL_MMAP || number > CALL_BRK))
		return 0;
	if (!is_followed())
		return 0;
	if (is_compat(bpf_get_current_task_btf())) {
		add(WIRE_MAPPINGS_COMPAT, 1);
		return 0;
	}
	if (result >= (__u64)-4095) {
		add(WIRE_MAPPINGS_FAILED, 1);
		return 0;
	}
	s = begin_sample(WIRE_MAPPINGS, STREAM, bpf_ktime_get_ns(), 1);
	if (!s)
		return 0;
	fill(&s->sample, regs, number, result);
	if (number == CALL_MUNMAP || number == CALL_MREMAP)
		s->sample.began_ns = take_began(bpf_get_current_task_btf());
	send_change(args, s);
	return 0;
}

static __always_inline void end_all(void *ctx, __u32 what)
{
	struct scratch *s = begin_sample(WIRE_MAPPINGS, STREAM, bpf_ktime_get_ns(), 1);

	if (!s)
		return;
	s->sample.what = what;
	send_change(ctx, s);
}

/* Runs in the process, which has its new program. */
SEC("?tp_btf/sched_process_exec")
int mappings_exec(__u64 *args)
{
	if (!end_launcher() && is_followed())
		end_all(args, WIRE_MAPPINGS_REPLACED);
	return 0;
}

/* The last thread of its process: it still has its address space. */
SEC("?tp_btf/sched_process_exit")
int mappings_end(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (is_followed() && !BPF_CORE_READ(task, signal, live.counter))
		end_all(args, WIRE_MAPPINGS_ENDED);
	return 0;
}
