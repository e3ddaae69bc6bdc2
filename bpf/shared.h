/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shared: maps, configuration and counters that every program uses; defined once, in
 * shared.bpf.c and target.bpf.c.
 */
#ifndef SHARED_H
#define SHARED_H

#include "kernel.h"
#include "ids.h"
#include "wire.h"

/* Records to the loader. Written by all programs, read by load/session, which sets the size. */
struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
};
extern struct ring_map ring SEC(".maps");

/* Set by the loader before load; the verifier drops what they turn off. */
extern const volatile __u32 config_target;    /* enum wire_filter: who is the target */
extern const volatile __u32 config_inherit;   /* so are its children */
extern const volatile __u32 config_filter[];  /* 1: others hit the event, too */
extern const volatile __u32 config_mode[];    /* enum wire_mode of each, as flags */
extern const volatile __u32 config_self_time; /* add up run time in WIRE_RUN_NS */
extern const volatile __u64 config_hash_mask; /* all ones; fewer only in tests of collisions */

/* The loader's process where its own events are to be left out: of all that runs. Else 0. It is
 * the kernel's own number of it only in the first PID namespace. */
extern const volatile __u32 config_own_pid;

/* Grown by the loader to make every stack new again: addresses may mean other code now. */
extern __u32 stack_epoch;
/* Grown by the loader where tables take much memory: walkers note which ones they use. */
extern __u32 table_epoch;
/* The loader was woken to drain the ring; it sets it to 0 when it begins to. */
extern __u32 ring_woken;

void count(__u32 event, enum wire_counter counter, __u64 n) __hidden;
/* The current task is of the target; counts where it hits @event. */
bool in_target(void) __hidden;
bool is_target(__u32 event) __hidden;
/* The same of a task that the kernel's type information vouches for; not of a cgroup's. */
bool in_target_task(struct task_struct *) __hidden;
/* The task is the loader, or works for it, unless those are the target. */
bool is_loader(struct task_struct *) __hidden;
/* The process or thread of that number has ended: its number may come again. */
void forget_target(__u32 id) __hidden;
/* Sends @bytes to the loader; wakes it only when the ring is half full, since a wake-up costs more
 * than all the rest. False: no room. */
bool send(const void *record, __u64 bytes) __hidden;
/* How to submit what was reserved, on the same terms. */
__u64 wake_flag(void) __hidden;
/* As send(), and wakes the loader: for what it should answer at once. */
bool send_now(const void *record, __u64 bytes) __hidden;

#endif
