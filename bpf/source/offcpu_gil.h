/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_gil: whether a thread of CPython waits for the interpreter's lock, and who holds that. The
 * lock is made of a mutex, a condition and others, on whose words threads wait in futex(2): so any
 * word within it is the lock. It names its last holder, by that thread's state.
 */
#ifndef SOURCE_OFFCPU_GIL_H
#define SOURCE_OFFCPU_GIL_H

#include "sample/script_maps.h"
#include "sample/script_here.h"
#include "sample/python_state.h"
#include "wire_offcpu.h"

/* struct _gil_runtime_state of CPython 3.11 to 3.14: an interval, the last holder, whether it is
 * held … */
#define GIL_BYTES  208
#define GIL_HOLDER 8
#define GIL_LOCKED 16

#define STATE_INTERPRETER 16 /* in a thread's state */
#define STATE_NATIVE_ID	  8  /* in it, behind pthread_self(): the number of the thread */
#define GIL_ID_MASK	  0x3fffffffu

/* What WIRE_REASON's holder is if @task, the current one, waits at @word; 0: not for this lock. */
static __always_inline __u32 gil_holder(struct task_struct *task, __u64 word)
{
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED};
	const struct wire_script_proc *p;
	__u64 state, at = 0, holder[2];
	__u32 number = 0;

	if (!script_numbers)
		return 0;
	key.piece = ids_process(task);
	p = bpf_map_lookup_elem(&script_procs, &key);
	if (!p || !p->gil)
		return 0;
	state = python_state(NULL, p, task->thread.fsbase);
	at = p->runtime + p->gil;
	if (p->gil_in_interpreter && (!here_read(NULL, &at, 8, state + STATE_INTERPRETER) ||
				      !here_read(NULL, &at, 8, at + p->gil)))
		return 0;
	if (!state || word - at >= GIL_BYTES)
		return 0;
	if (here_read(NULL, holder, sizeof(holder), at + GIL_HOLDER) && holder[0] &&
	    holder[0] != state && (__u32)holder[1])
		here_read(NULL, &number, 4, holder[0] + p->state_thread + STATE_NATIVE_ID);
	return WIRE_HOLDER_GIL | (number & GIL_ID_MASK);
}

#endif
