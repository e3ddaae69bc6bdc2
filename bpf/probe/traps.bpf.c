/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/traps.h"
#include "in_target.h"
#include "kernel.h"
#include "wire_probe.h"

__u32 probe_traps_on;

/* 0 → where the last probe was hit on this CPU. Written by the programs on probes, read by samples
 * that interrupt the same thread. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} probe_traps_last SEC(".maps");

/* enum wire_traps → samples. Per CPU; read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_TRAPS);
	__type(key, __u32);
	__type(value, __u64);
} probe_traps_seen SEC(".maps");

void probe_traps_note(__u64 ip)
{
	__u32 zero = 0;
	__u64 *last = bpf_map_lookup_elem(&probe_traps_last, &zero);

	if (last)
		*last = ip;
}

static __always_inline void add(__u32 what)
{
	__u64 *n = bpf_map_lookup_elem(&probe_traps_seen, &what);

	if (n)
		*n += 1;
}

/* The longest instruction: beyond, the thread has gone on. Interrupts that come while the kernel
 * returns from a trap are taken at the instruction behind the probed one. */
#define MOST_BYTES 15

static bool follows_probe(__u64 ip)
{
	__u32 zero = 0;
	const __u64 *last = bpf_map_lookup_elem(&probe_traps_last, &zero);

	return last && ip - *last <= MOST_BYTES;
}

/* In the copies of instructions that the kernel steps, or the trampoline of replaced return
 * addresses. */
static bool is_in_copies(__u64 ip)
{
	const struct xol_area *area = BPF_CORE_READ(current_task(), mm, uprobes_state.xol_area);
	const __u64 at = area ? BPF_CORE_READ(area, vaddr) : 0;

	return at && ip - at < 4096;
}

/* Before the kernel has emulated the instruction: a breakpoint is there, or just before. */
static bool is_at_breakpoint(__u64 ip)
{
	__u8 code[2] = {0};

	return !bpf_probe_read_user(code, sizeof(code), (void *)(ip - 1)) &&
	       (code[0] == 0xcc || code[1] == 0xcc);
}

/* A sample of a timer. */
SEC("?perf_event") int probe_traps(struct bpf_perf_event_data *ctx)
{
	const bool user = ctx->regs.cs & 3;
	struct pt_regs___kernel *saved;
	__u64 ip = ctx->regs.rip;

	/* Or the compiler computes which of the two to read, which the verifier refuses. */
	asm volatile("" : "+r"(ip));
	if (!probe_traps_on || !(bpf_get_current_pid_tgid() >> 32) || !in_target() ||
	    is_current_loader())
		return 0;
	saved = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (!user)
		ip = saved->ip;
	add(WIRE_TRAPS_ALL);
	if (follows_probe(ip) || is_in_copies(ip) || (!user && is_at_breakpoint(ip)))
		add(WIRE_TRAPS_IN);
	return 0;
}
