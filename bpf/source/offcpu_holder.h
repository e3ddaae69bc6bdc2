/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_holder: who holds the lock that a thread waits for in futex(2): the owner that glibc keeps
 * in a mutex behind the word that is waited on, or the number in that word itself, of mutexes that
 * inherit priority and of robust ones. No other locks of user space have an owner that one could
 * read. It is read as the thread goes to sleep, since who releases a mutex first takes its number
 * out of it; user space checks that it is a thread of that process.
 */
#ifndef SOURCE_OFFCPU_HOLDER_H
#define SOURCE_OFFCPU_HOLDER_H

#include "kernel.h"
#include "wire_offcpu.h"

#define CALL_FUTEX 202 /* of x86-64 */

/* include/uapi/linux/futex.h */
#define FUTEX_WAIT	  0
#define FUTEX_LOCK_PI	  6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_LOCK_PI2	  13
#define FUTEX_PRIVATE	  128			/* of one process alone */
#define FUTEX_FLAGS	  (FUTEX_PRIVATE | 256) /* that, and by another clock */
#define FUTEX_WAITERS	  0x80000000u
#define FUTEX_TID_MASK	  0x3fffffffu

/* pthread_mutex_t of x86-64: sysdeps/x86/nptl/bits/struct_mutex.h in glibc. */
struct holder_mutex {
	__u32 word, count, owner, users, kind;
};
#define HOLDER_KINDS	 0x400u /* all kinds are below that */
#define HOLDER_ROBUST	 0x10u
#define HOLDER_CONTENDED 2 /* the word of a mutex that others wait for */

#define HOLDER_PAGE 4096

struct holder_wait {
	__u64 word; /* address that is waited on; 0: it is not in futex(2) */
	__u64 at;   /* address of the word; 0: it waits for no lock that has an owner */
	__u32 expected;
	bool inherits;
	__u32 shared; /* WIRE_HOLDER_SHARED, or 0 */
};

/* What a thread in a system call of x86-64 waits for. */
static __always_inline struct holder_wait holder_wait_of(const struct pt_regs___kernel *saved)
{
	const __u32 operation = (__u32)saved->si & ~FUTEX_FLAGS;
	struct holder_wait w = {.expected = (__u32)saved->dx};

	if (saved->orig_ax != CALL_FUTEX || !(saved->cs & 3))
		return w;
	w.word = saved->di;
	w.shared = saved->si & FUTEX_PRIVATE ? 0 : WIRE_HOLDER_SHARED;
	w.inherits = operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2;
	if (w.inherits || ((operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
			   (w.expected == HOLDER_CONTENDED || w.expected & FUTEX_WAITERS)))
		w.at = saved->di;
	/* A mutex is aligned to 8 bytes, and read in one piece. */
	if (w.at % HOLDER_PAGE > HOLDER_PAGE - sizeof(struct holder_mutex))
		w.at = 0;
	return w;
}

static __always_inline __u32 holder_number(const struct holder_wait *w,
					   const struct holder_mutex *m)
{
	const __u32 number = m->word & FUTEX_TID_MASK;

	if (w->inherits)
		return number;
	/* musl puts that flag on others' locks, whose words are no numbers. */
	if (w->expected & FUTEX_WAITERS)
		return m->kind & HOLDER_ROBUST && m->owner == number ? number : 0;
	if (m->word != HOLDER_CONTENDED || m->kind >= HOLDER_KINDS)
		return 0;
	return m->owner & FUTEX_TID_MASK;
}

/* The number of the thread that holds it, in its own PID namespace, with WIRE_HOLDER_SHARED; 0:
 * unknown. */
static __always_inline __u32 holder_in(const struct holder_wait *w, const struct holder_mutex *m)
{
	const __u32 number = holder_number(w, m);

	return number ? number | w->shared : 0;
}

#endif
