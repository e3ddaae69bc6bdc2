/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/clocks.h"

const volatile __u32 config_zone_events;
/* Those of them that count switches, as bits. The kernel counts a switch between the tracepoints
 * sched_switch and sched_exit_tp, and it is the incoming thread's. */
const volatile __u32 config_zone_switch_events;

struct zone_clocks_map zone_clocks SEC(".maps");

/* WIRE_ZONE_ROW() → sums of the other clocks over a node's timed calls. Written like zone_nodes;
 * the loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_zone_sums);
} zone_sums SEC(".maps");

/* Counting events, WIRE_ZONE_EVENTS per CPU. Filled by the loader, which sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} zone_events SEC(".maps");

static __u64 event_now(__u32 event)
{
	struct bpf_perf_event_value value = {0};
	__u32 at = bpf_get_smp_processor_id() * WIRE_ZONE_EVENTS + event;

	if (bpf_perf_event_read_value(&zone_events, at, &value, sizeof(value)))
		return 0;
	return value.counter;
}

struct zone_clock *zone_clock(bool make)
{
	struct zone_clock *c = bpf_task_storage_get(&zone_clocks, bpf_get_current_task_btf(), NULL,
						    make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);

	for (__u32 i = 0; make && c && i < WIRE_ZONE_EVENTS && i < config_zone_events; i++)
		c->event_base[i] = event_now(i);
	return c;
}

static void read_rusage(__u64 *to)
{
	struct task_struct *task = bpf_get_current_task_btf();

	to[WIRE_SUM_MINFLT] = task->min_flt;
	to[WIRE_SUM_MAJFLT] = task->maj_flt;
	to[WIRE_SUM_NVCSW] = task->nvcsw;
	to[WIRE_SUM_NIVCSW] = task->nivcsw;
	if (bpf_core_field_exists(task->ioac.read_bytes)) {
		to[WIRE_SUM_INBLOCK] = task->ioac.read_bytes;
		to[WIRE_SUM_OUBLOCK] = task->ioac.write_bytes;
	}
}

/* A thread that is switched out while it reads its clocks reads them again, since they stopped.
 * More switches in a row than this are practically impossible. */
#define READ_TRIES 4

static __u64 switches_of(const struct zone_clock *c)
{
	return *(const volatile __u64 *)&c->switches;
}

/* Repeats @read until the thread was not switched out meanwhile. */
#define UNTORN(c, read)                                         \
	do {                                                    \
		for (int try_ = 0; try_ < READ_TRIES; try_++) { \
			__u64 switches_ = switches_of(c);       \
                                                                \
			read;                                   \
			if (switches_ == switches_of(c))        \
				break;                          \
		}                                               \
	} while (0)

static __u64 cpu_now(const struct zone_clock *c)
{
	return bpf_ktime_get_ns() - c->runnable_ns - c->blocked_ns;
}

static __noinline void read_once(struct zone_clock *c, __u64 *to)
{
	to[WIRE_SUM_CPU] = cpu_now(c);
	to[WIRE_SUM_SYS] = c->sys_ns;
	to[WIRE_SUM_RUNNABLE] = c->runnable_ns;
	to[WIRE_SUM_BLOCKED] = c->blocked_ns;
	if (config_zone_clocks & WIRE_CLOCK_RUSAGE)
		read_rusage(to);
	for (__u32 i = 0; i < WIRE_ZONE_EVENTS && i < config_zone_events; i++)
		to[WIRE_SUM_EVENT + i] = c->event[i] + event_now(i) - c->event_base[i];
}

static void read_all(struct zone_clock *c, __u64 *to)
{
	UNTORN(c, read_once(c, to));
}

/* Coroutines with open timed calls → their other clocks. Written and read by programs. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_PROBE_STRANDS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct probe_strand_key);
	__type(value, struct probe_strand_clock);
} zone_strand_clocks SEC(".maps");

static const struct probe_strand_clock no_clock;

static struct probe_strand_clock *clock_of(struct zone_clock *c, const struct probe_strand *s)
{
	if (s->key.kind == STRAND_OWN)
		return &c->own;
	return bpf_map_lookup_elem(&zone_strand_clocks, &s->key);
}

void clock_enter(const struct probe_strand *s, __u32 depth)
{
	struct zone_clock *c = zone_clock(false);
	struct probe_strand_clock *k;

	if (!c || depth >= CLOCK_DEPTH || s->key.kind == STRAND_GOROUTINE)
		return;
	k = clock_of(c, s);
	if (!k) {
		bpf_map_update_elem(&zone_strand_clocks, &s->key, &no_clock, BPF_NOEXIST);
		k = clock_of(c, s);
	}
	if (!k)
		return;
	/* A strand that moved to another thread unseen starts again. */
	k->tid = bpf_get_current_pid_tgid();
	read_all(c, k->at[depth]);
	for (__u32 i = 0; i < WIRE_ZONE_SUMS; i++)
		k->at[depth][i] -= k->base[i];
}

void clock_leave(const struct probe_strand *s, __u32 depth, __u32 row)
{
	struct zone_clock *c = zone_clock(false);
	struct probe_strand_clock *k;
	struct wire_zone_sums *sums;

	if (!c || depth >= CLOCK_DEPTH || s->key.kind == STRAND_GOROUTINE)
		return;
	k = clock_of(c, s);
	if (!k || k->tid != (__u32)bpf_get_current_pid_tgid())
		return;
	read_all(c, c->now);
	sums = bpf_map_lookup_elem(&zone_sums, &row);
	for (__u32 i = 0; i < WIRE_ZONE_SUMS && sums; i++)
		__sync_fetch_and_add(&sums->sum[i], c->now[i] - k->base[i] - k->at[depth][i]);
}

const __u64 *clock_read(bool jump)
{
	struct zone_clock *c = zone_clock(false);

	if (!c)
		return NULL;
	read_all(c, jump ? c->jump : c->now);
	return jump ? c->jump : c->now;
}

const __u64 *clock_at_jump(void)
{
	struct zone_clock *c = zone_clock(false);

	return c ? c->jump : NULL;
}

void clock_turn(const struct probe_strand *s, const __u64 *sums)
{
	struct zone_clock *c = zone_clock(false);
	struct probe_strand_clock *k = c ? clock_of(c, s) : NULL;

	if (!k)
		return;
	k->tid = bpf_get_current_pid_tgid();
	for (__u32 i = 0; i < WIRE_ZONE_SUMS; i++)
		k->base[i] = sums[i] - k->base[i];
}

void clock_forget(const struct probe_strand_key *key)
{
	bpf_map_delete_elem(&zone_strand_clocks, key);
}

__u64 clock_cpu_now(void)
{
	struct zone_clock *c = zone_clock(false);
	__u64 now_ns = 0;

	if (!c)
		return bpf_ktime_get_ns();
	UNTORN(c, now_ns = cpu_now(c));
	return now_ns;
}

/* --- tracepoints of the kernel -------------------------------------------------------------- */

static void switch_out(struct task_struct *task, bool blocks, __u64 now_ns)
{
	struct zone_clock *c = bpf_task_storage_get(&zone_clocks, task, NULL, 0);

	if (!c)
		return;
	c->switches++;
	c->out_ns = now_ns;
	c->woken_ns = 0;
	c->blocks = blocks;
	for (__u32 i = 0; i < WIRE_ZONE_EVENTS && i < config_zone_events; i++)
		c->event[i] += event_now(i) - c->event_base[i];
}

/* @counted: the kernel has counted this switch. */
static void switch_in(struct task_struct *task, bool counted, __u64 now_ns)
{
	struct zone_clock *c = bpf_task_storage_get(&zone_clocks, task, NULL, 0);
	__u64 ready_ns;

	if (!c)
		return;
	for (__u32 i = 0; i < WIRE_ZONE_EVENTS && i < config_zone_events; i++)
		c->event_base[i] = event_now(i) - (counted & config_zone_switch_events >> i & 1);
	if (!c->out_ns)
		return;
	ready_ns = c->blocks ? c->woken_ns : c->out_ns;
	if (!ready_ns || ready_ns < c->out_ns || ready_ns > now_ns)
		ready_ns = c->blocks ? now_ns : c->out_ns;
	c->blocked_ns += ready_ns - c->out_ns;
	c->runnable_ns += now_ns - ready_ns;
	c->out_ns = 0;
}

SEC("?tp_btf/sched_switch")
int probe_sched_switch(__u64 *args)
{
	bool preempted = args[0];
	struct task_struct *prev = (void *)args[1], *next = (void *)args[2];
	__u64 now_ns = bpf_ktime_get_ns();

	/* The state in which prev leaves the CPU; 0: it stays runnable. */
	switch_out(prev, !preempted && (__u32)args[3], now_ns);
	switch_in(next, false, now_ns);
	return 0;
}

/* The end of a switch, in the context of the thread that now runs. Some machines do not report
 * every switch to sched_switch (of those from a virtual CPU's idle task half were missing): a
 * return that went unseen would count as time on the CPU. */
SEC("?tp_btf/sched_exit_tp")
int probe_sched_in(void *ctx)
{
	struct zone_clock *c = zone_clock(false);

	if (c && c->out_ns)
		switch_in(bpf_get_current_task_btf(), true, bpf_ktime_get_ns());
	return 0;
}

SEC("?tp_btf/sched_wakeup")
int probe_sched_wakeup(__u64 *args)
{
	struct zone_clock *c =
		bpf_task_storage_get(&zone_clocks, (struct task_struct *)args[0], NULL, 0);

	if (c && c->out_ns && !c->woken_ns)
		c->woken_ns = bpf_ktime_get_ns();
	return 0;
}

/* System calls of the probes themselves: uretprobe and uprobe on x86-64. */
#define OWN_CALL_FIRST 335
#define OWN_CALL_LAST  336

SEC("?tp_btf/sys_enter")
int probe_sys_enter(__u64 *args)
{
	struct zone_clock *c = zone_clock(false);
	__u64 number = args[1];

	if (!c || (number >= OWN_CALL_FIRST && number <= OWN_CALL_LAST))
		return 0;
	c->in_syscall = 1;
	c->sys_since_ns = bpf_ktime_get_ns();
	c->sys_off_ns = c->runnable_ns + c->blocked_ns;
	return 0;
}

SEC("?tp_btf/sys_exit")
int probe_sys_exit(__u64 *args)
{
	struct zone_clock *c = zone_clock(false);

	if (!c || !c->in_syscall)
		return 0;
	c->in_syscall = 0;
	c->sys_ns += bpf_ktime_get_ns() - c->sys_since_ns -
		     (c->runnable_ns + c->blocked_ns - c->sys_off_ns);
	return 0;
}
