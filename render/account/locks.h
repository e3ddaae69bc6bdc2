/*
 * locks: what threads waited for that other threads held: by lock, with its holder, and threads
 * that wait for each other.
 */
#ifndef ACCOUNT_LOCKS_H
#define ACCOUNT_LOCKS_H

#include "account/thread_accounts.h"

/* A thread by its numbers; tid 0: none. */
struct lock_thread {
	uint32_t pid, tid;
	uint32_t name; /* a string */
};

/* The thread in the largest part of the waits for a lock, of @ns; tid 0: none. */
struct lock_part {
	struct lock_thread thread;
	int64_t ns;
};

/* Waits for one lock; for those in one function where nothing names the lock. */
struct lock {
	uint32_t object, function, threads;
	bool gil;		 /* the interpreter's, which has no name of its own */
	int64_t value, held_up;	 /* held_up: of threads that surely had something to do */
	struct lock_part holder; /* who held it when these waits began */
	struct lock_part waker;	 /* who ended these waits */
	int64_t open_ns;	 /* of waits that did not end in the capture */
};

/* The lock with the longest waits of threads that had something to do; if it is known of none,
 * of those that may have. It has a name or a function; false: there is none. */
bool lock_largest(const struct thread_accounts *, struct lock *out);

/* Who held locks of the kernel for longest for which the thread waited; tid 0: nobody is known. */
struct lock_part lock_holder_in_kernel(const struct thread_accounts *,
				       const struct thread_account *);

/* Who ended most of the waits of that kind (model/reason.h) of the thread, the longest first; the
 * number of them in @out, at most LOCK_WAKERS. */
#define LOCK_WAKERS 3
size_t lock_wakers(const struct thread_accounts *, const struct thread_account *, uint8_t kind,
		   struct lock_part out[LOCK_WAKERS]);

/* Threads each of which waited all the time of @span_ns for a lock that the next one held, the last
 * one for the first one's. */
#define DEADLOCK_THREADS 8
struct deadlock {
	struct lock_thread threads[DEADLOCK_THREADS];
	uint32_t objects[DEADLOCK_THREADS]; /* what each waited for, a string */
	size_t n;			    /* 0: there is none */
};
struct deadlock deadlock_find(const struct thread_accounts *, int64_t span_ns);

/* The account of a thread; NULL: it has none. */
const struct thread_account *lock_account(const struct thread_accounts *, struct lock_thread);

#endif
