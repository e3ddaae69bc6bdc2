/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_contended: notes which lock of the kernel a thread waits for, from contention_begin to
 * contention_end, so that the program at switches can read who holds it as the thread goes to
 * sleep. The tracepoints are there from Linux 5.19 on, and are hit by contended locks alone.
 */
#include "source/offcpu.h"

/* include/trace/events/lock.h. With LCB_F_SPIN, too, the thread does not sleep yet. */
#define LCB_F_READ  (1u << 1)
#define LCB_F_WRITE (1u << 2)
#define LCB_F_MUTEX (1u << 5)

static __always_inline struct offcpu_thread *account_of_current(void)
{
	if (!control(WIRE_OFF_PERIOD_NS))
		return NULL;
	return account_of(bpf_get_current_task_btf(), 0);
}

/* Arguments: the lock, flags. */
SEC("?tp_btf/contention_begin")
int offcpu_contended(__u64 *args)
{
	const __u32 flags = args[1];
	struct offcpu_thread *t;
	__u64 kind = 0;

	if (flags == LCB_F_MUTEX)
		kind = CONTENDED_MUTEX;
	else if (flags == LCB_F_READ || flags == LCB_F_WRITE)
		kind = CONTENDED_RWSEM;
	if (!kind)
		return 0;
	t = account_of_current();
	if (t)
		t->contended = args[0] | kind;
	return 0;
}

SEC("?tp_btf/contention_end")
int offcpu_uncontended(void *ctx)
{
	struct offcpu_thread *t = account_of_current();

	(void)ctx;
	if (t)
		t->contended = 0;
	return 0;
}
