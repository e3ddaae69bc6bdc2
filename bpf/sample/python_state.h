/* SPDX-License-Identifier: GPL-2.0 */
/*
 * python_state: CPython's state of a thread. The includer has read_user().
 */
#ifndef SAMPLE_PYTHON_STATE_H
#define SAMPLE_PYTHON_STATE_H

#include "wire_script.h"

/* Where a thread keeps the values of its first keys, from its pthread_self(): glibc in the thread,
 * each behind a sequence number, musl (since 1.2) in an array that the thread has a pointer to. */
#define TSD_AT	    0x310
#define TSD_STEP    16
#define TSD_KEYS    32
#define MUSL_TSD_AT 128

/* Whether @state is one of the thread whose pthread_self() is @base. */
static __always_inline bool python_state_of(const struct script_memory *m,
					    const struct wire_script_proc *p, __u64 state,
					    __u64 base)
{
	__u64 thread = 0;

	return state && read_user(m, &thread, 8, state + p->state_thread) && thread == base;
}

/* The state of the thread whose pthread_self() is @base; 0: it has none. */
static __always_inline __u64 python_state(const struct script_memory *m,
					  const struct wire_script_proc *p, __u64 base)
{
	__u64 state = 0, values = 0;
	__u32 key = 0;

	if (!base || !read_user(m, &key, 4, p->runtime + p->key) || key >= TSD_KEYS)
		return 0;
	if (read_user(m, &state, 8, base + TSD_AT + TSD_STEP * key + 8) &&
	    python_state_of(m, p, state, base))
		return state;
	return read_user(m, &values, 8, base + MUSL_TSD_AT) &&
			       read_user(m, &state, 8, values + 8 * key) &&
			       python_state_of(m, p, state, base)
		       ? state
		       : 0;
}

#endif
