/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_ran: who ran on a CPU while others waited for it. Each CPU remembers the last threads that
 * ran there. When a thread of the target comes to it, its wait is divided among those: so only
 * threads that waited pay for that. A wait may be longer than what is remembered: the rest of it
 * belongs to nobody.
 */
#include "source/offcpu.h"

/* A run of a thread. */
struct ran {
	__u64 from_ns;	 /* to the beginning of the next */
	__u64 stolen_ns; /* of that, by interrupts or the hypervisor */
	__u32 pid, tid;
	__u64 name[2];
};

/* As many as a value of a map by CPU has room for. */
#define RAN_MOST 512

struct ran_cpu {
	__u64 n;       /* runs ever */
	__u64 exec_ns; /* CPU time of the running thread when its run began */
	struct ran at[RAN_MOST];
};

/* Written by the program at switches, read by that and by the one after a switch, on the same CPU.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ran_cpu);
} offcpu_ran_cpus SEC(".maps");

/* Who waited and who ran → time. Written by the thread that waited, taken out by the loader at its
 * ticks: sized for the pairs of a busy machine in between. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_OFF_RAN_MOST);
	__type(key, struct wire_off_ran_key);
	__type(value, struct wire_off_ran);
} offcpu_ran SEC(".maps");

/* The scheduler's clock and ours differ by less in a run. */
#define STOLEN_LEAST_NS 20000

static __always_inline struct ran_cpu *this_cpu(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&offcpu_ran_cpus, &zero);
}

/* Of a thread that waits on another CPU, which goes on meanwhile. */
static __always_inline struct ran_cpu *cpu_of(struct task_struct *task)
{
	const __u32 zero = 0;

	return bpf_map_lookup_percpu_elem(&offcpu_ran_cpus, &zero, task->thread_info.cpu);
}

static __always_inline void copy_name(__u64 to[2], struct task_struct *task)
{
	const __u64 *name = (const void *)task->comm;

	bpf_probe_read_kernel(to, 16, name);
}

void offcpu_ran_switch(struct task_struct *prev, struct task_struct *next, __u64 now_ns)
{
	struct ran_cpu *c = this_cpu();
	struct ran *r;
	__u64 stolen_ns;

	if (!c)
		return;
	r = &c->at[(c->n - 1) % RAN_MOST];
	stolen_ns = now_ns - r->from_ns - (prev->se.sum_exec_runtime - c->exec_ns);
	r->stolen_ns = prev->pid && (__s64)stolen_ns > STOLEN_LEAST_NS ? stolen_ns : 0;
	r = &c->at[c->n % RAN_MOST];
	r->from_ns = now_ns;
	r->stolen_ns = 0;
	r->pid = next->pid ? ids_process(next) : 0;
	r->tid = next->pid ? ids_thread(next) : 0;
	copy_name(r->name, next);
	c->exec_ns = next->se.sum_exec_runtime;
	c->n++;
}

static __always_inline void add_time(const struct wire_off_ran_key *key, const __u64 name[2],
				     const __u64 by_name[2], __u64 ns)
{
	struct wire_off_ran *known, fresh = {.ns = ns};

	if (!ns)
		return;
	known = bpf_map_lookup_elem(&offcpu_ran, key);
	if (known) {
		known->ns += ns;
		return;
	}
	__builtin_memcpy(fresh.name, name, 16);
	if (by_name)
		__builtin_memcpy(fresh.by_name, by_name, 16);
	if (bpf_map_update_elem(&offcpu_ran, key, &fresh, BPF_NOEXIST))
		add(WIRE_OFF_RAN_LOST_NS, ns);
}

/* A wait to be divided. */
struct share {
	struct wire_off_ran_key key;
	__u64 name[2];
	__u64 from_ns, to_ns; /* what is not divided yet */
	__u64 part;	      /* 2^-16 of it: what the group was not throttled in */
	const struct ran_cpu *cpu;
	__u64 n; /* runs on that CPU */
};

static __always_inline void add_kind(struct share *s, __u32 by, __u64 ns)
{
	s->key.by = by;
	s->key.by_pid = s->key.by_tid = 0;
	add_time(&s->key, s->name, NULL, ns);
}

/* The end of the wait, in which @r ran. */
static __always_inline void add_run(struct share *s, const struct ran *r)
{
	const __u64 from_ns = r->from_ns > s->from_ns ? r->from_ns : s->from_ns;
	__u64 ns = s->to_ns - from_ns, stolen_ns = r->stolen_ns < ns ? r->stolen_ns : ns;

	/* Nobody knows when in the run it was stolen. */
	add_kind(s, WIRE_OFF_BY_STOLEN, stolen_ns * s->part >> 16);
	ns = (ns - stolen_ns) * s->part >> 16;
	if (!r->pid) {
		add_kind(s, WIRE_OFF_BY_IDLE, ns);
		return;
	}
	s->key.by = WIRE_OFF_BY_RAN;
	s->key.by_pid = r->pid;
	s->key.by_tid = r->tid;
	add_time(&s->key, s->name, r->name, ns);
}

/* The last runs first; those that began after the wait are not in it. 1: that was all. */
static long add_next(__u64 i, struct share *s)
{
	const struct ran *r = &s->cpu->at[(s->n - 1 - i) % RAN_MOST];

	if (i >= s->n || s->to_ns <= s->from_ns)
		return 1;
	if (r->from_ns >= s->to_ns)
		return 0;
	add_run(s, r);
	s->to_ns = r->from_ns;
	return 0;
}

/* The part of @here_ns in which the thread's group was throttled. */
static __always_inline __u64 throttled_ns(struct task_struct *task, const struct offcpu_thread *t,
					  __u64 here_ns)
{
	__u64 ns;

	/* What it was on another CPU is not known here. */
	if (!t->group || task->se.cfs_rq != t->group)
		return 0;
	/* The kernel counts it when it is over. */
	if (!task->on_cpu && bpf_core_field_exists(task->se.cfs_rq->throttle_count) &&
	    task->se.cfs_rq->throttle_count)
		return here_ns;
	ns = throttled_of(task) - t->throttled_ns;
	return ns < here_ns ? ns : here_ns;
}

void offcpu_ran_add(struct task_struct *task, const struct offcpu_thread *t, __u64 until_ns,
		    __u64 ready_ns)
{
	struct share s = {.key = {.pid = ids_process(task), .tid = ids_thread(task)},
			  .cpu = cpu_of(task)};
	__u64 elsewhere_ns = t->elsewhere_ns, here_ns, throttle_ns;

	if (t->told_ns && until_ns - t->told_ns < ready_ns)
		ready_ns = until_ns - t->told_ns;
	if (!s.cpu || ready_ns < WIRE_OFF_RAN_LEAST_NS)
		return;
	if (elsewhere_ns > ready_ns)
		elsewhere_ns = ready_ns;
	here_ns = ready_ns - elsewhere_ns;
	throttle_ns = throttled_ns(task, t, here_ns);
	copy_name(s.name, task);
	add_kind(&s, WIRE_OFF_BY_ELSEWHERE, elsewhere_ns);
	add_kind(&s, WIRE_OFF_BY_THROTTLED, throttle_ns);
	if (throttle_ns >= here_ns)
		return;
	s.part = ((here_ns - throttle_ns) << 16) / here_ns;
	s.from_ns = until_ns - here_ns;
	s.to_ns = until_ns;
	s.n = s.cpu->n;
	bpf_loop(RAN_MOST, add_next, &s, 0);
}
