/*
 * wakebook: the sampled wakings of threads: who ended a wait, and who ended the waker's own last
 * wait, if that was amid it. Joined with the samples of the waits, which come later, until they are
 * in a file. For the source offcpu.
 */
#ifndef SOURCE_WAKEBOOK_H
#define SOURCE_WAKEBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "source/samplebook.h"
#include "wire_offcpu.h"

/* Wakers above one another, at most. */
#define WAKE_CHAIN 8

/* A thread and where it was. Of a waker amid an interrupt, who was interrupted: the frames of its
 * kernel stack tell, once they have names. */
struct wake_place {
	uint32_t thread;       /* of procs */
	uint32_t user, kernel; /* stacks, or NO_STACK */
};

struct wake_chain {
	struct wake_place at[WAKE_CHAIN]; /* each was woken by the next */
	uint32_t n;
};

/* A waking. */
struct wake {
	struct wake_place woken; /* where it waited */
	struct wake_chain wakers;
};

/* The last sampled waking of a thread. */
struct wake_last {
	uint32_t tid;		  /* 0: there is none here */
	uint64_t out_ns, time_ns; /* when the thread left its CPU, and when it was woken */
	uint64_t weight;	  /* ns blocked */
	struct wake wake;
	bool pending; /* the sample of its wait has not come yet */
	bool renewed; /* since the last window ended */
};

/* Threads whose last waking is known. Of two that share a place the newer one's stays: where the
 * older one is a waker, the chain ends with it. */
#define WAKE_THREADS 16384

struct wakebook {
	struct samplebook book; /* of wakers; one row for each of … */
	VEC(struct wake) wakes;
	size_t ended;			     /* wakes of the window that is being written */
	struct wake_last last[WAKE_THREADS]; /* by thread number */
	int64_t alone;			     /* wakes whose wait's own sample did not come */
};

struct wakebook *wakebook_new(void);
void wakebook_free(struct wakebook *);

/* A waking (WIRE_OFF_WAKE); @user: the waker's stack. Wakings and waits come in order of time. */
void wakebook_wake(struct wakebook *, const struct wire_offcpu *, uint32_t user, struct stackbook *,
		   struct procs *);
/* The sample of a wait, and its row: joined with its waking, if that was sampled. */
void wakebook_wait(struct wakebook *, const struct wire_offcpu *, const struct sample_row *);
/* No more come: wakings of threads that did not return to a CPU become rows without stacks. */
void wakebook_finish(struct wakebook *);

/* See source.h. */
void wakebook_window_end(struct wakebook *);
void wakebook_window_forget(struct wakebook *, struct survivors *);
void wakebook_window_renumber(struct wakebook *, const struct survivors *);

#endif
