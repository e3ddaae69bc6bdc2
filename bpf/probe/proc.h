/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proc: what is known of processes whose calls may count, and what the loader is told: counters and
 * news.
 */
#ifndef PROBE_PROC_H
#define PROBE_PROC_H

#include "probe/calls.h"

/* By enum wire_probe_counter. Per CPU; read by the loader at its ticks. */
struct probe_counters_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_PROBE_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
};
extern struct probe_counters_map probe_counters SEC(".maps");

/* What is known of process @pid; NULL: nothing. */
struct wire_probe_proc *probe_proc(__u32 pid) __hidden;
/* Sets what is known of process @pid, or removes it. */
void probe_proc_set(__u32 pid, const struct wire_probe_proc *) __hidden;
void probe_proc_forget(__u32 pid) __hidden;
/* Call after any change to what is known of processes: their threads read it at their next call. */
void probe_changed(void) __hidden;

/* Sends news to the loader, with @number and @code as in the record. False: the ring is full. */
bool probe_news(enum wire_news news, __u32 number, __u32 code) __hidden;
/* Sends the news once per process, until probe_news_forget(). */
void probe_news_once(enum wire_news news) __hidden;
/* Process @pid has ended, or runs another program. */
void probe_news_forget(__u32 pid) __hidden;

void probe_tell(enum wire_probe_counter counter) __hidden;

/* Counts a hit on this CPU. Approximate: loses one if another program on a probe preempts it
 * here. */
static __always_inline void probe_note_hit(void)
{
	__u32 key = WIRE_PROBE_HITS;
	volatile __u64 *hits = bpf_map_lookup_elem(&probe_counters, &key);

	if (hits)
		++*hits;
}

#endif
