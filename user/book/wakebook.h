/*
 * wakebook: the sampled wakings of threads, until they are written: who ended a wait, and who
 * ended the waker's own last wait, if that overlapped. A waking is joined with the sample of its
 * wait, which comes later. For the source offcpu.
 */
#ifndef BOOK_WAKEBOOK_H
#define BOOK_WAKEBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "book/samplebook.h"
#include "wire_offcpu.h"

/* Length of a chain of wakers, at most. */
#define WAKE_CHAIN 8

/* A thread and its stacks. If an interrupt did the waking, the interrupted thread: the frames of
 * its kernel stack tell, once they have names. */
struct wake_place {
	uint32_t thread;       /* of procs */
	uint32_t user, kernel; /* stacks, or NO_STACK */
};

struct wake_chain {
	struct wake_place at[WAKE_CHAIN]; /* each was woken by the next */
	uint32_t n;
};

/* A waking of a thread. */
struct wake {
	struct wake_place woken; /* where it waited */
	uint32_t reason;	 /* that of the wait, in the source's numbers; 0: unknown */
	struct wake_chain wakers;
};

/* The last sampled waking of a thread. */
struct wake_last {
	uint32_t tid;		  /* 0: the slot is free */
	uint64_t out_ns, time_ns; /* when the thread left its CPU, and when it was woken */
	uint64_t weight;	  /* ns blocked */
	struct wake wake;
	bool pending; /* the sample of its wait has not come yet */
	bool renewed; /* since the last window ended */
};

/* Slots for the last wakings of threads. Of two threads that share a slot it holds the newer
 * waking; a chain that needs the older one ends there. */
#define WAKE_THREADS 16384

struct wakebook {
	struct samplebook book; /* stacks of the wakers: one row for each of … */
	VEC(struct wake) wakes;
	size_t ended;			     /* wakes of the window that is being written */
	struct wake_last last[WAKE_THREADS]; /* by thread id */
	int64_t alone;			     /* wakings whose wait has no sample */
};

struct wakebook *wakebook_new(void);
void wakebook_free(struct wakebook *);

/* Adds a waking (WIRE_OFF_WAKE). @user: the waker's user stack. Wakings and waits come in order of
 * time. */
void wakebook_wake(struct wakebook *, const struct wire_offcpu *, uint32_t user, struct stackbook *,
		   struct procs *);
/* Joins the sample of a wait, and its row, with its waking, if that was sampled. */
void wakebook_wait(struct wakebook *, const struct wire_offcpu *, const struct sample_row *);
/* After the last sample: wakings of threads that did not return to a CPU become rows without
 * stacks. */
void wakebook_finish(struct wakebook *);

/* See source.h. */
void wakebook_window_end(struct wakebook *);
void wakebook_window_forget(struct wakebook *, struct survivors *);
void wakebook_window_renumber(struct wakebook *, const struct survivors *);
/* Sets to 1 the @numbers of reasons that are needed; and replaces each by its new one. */
void wakebook_mark_reasons(const struct wakebook *, uint32_t *numbers);
void wakebook_renumber_reasons(struct wakebook *, const uint32_t *numbers);

#endif
