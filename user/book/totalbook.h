/*
 * totalbook: the totals of threads (model/waits.h) until they are written: how long each was on a
 * CPU, ready without one, and blocked. For the sources offcpu and totals.
 */
#ifndef BOOK_TOTALBOOK_H
#define BOOK_TOTALBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stack/survivors.h"
#include "stack/assembly.h"

/* Totals of a thread that has ended, or that lived at the end of the window. */
struct total {
	uint32_t thread; /* of procs */
	uint64_t on_ns, blocked_ns, runnable_ns;
	uint32_t waits, voluntary, involuntary;
	uint32_t priority; /* as the records have it */
	uint64_t quota_ns, period_ns;
};

struct totalbook {
	VEC(struct total) rows;
	size_t ended; /* rows of the window that is being written */
};

void totalbook_release(struct totalbook *);
void totalbook_add(struct totalbook *, const struct total *);
/* Adds the rows of the window to the profile. */
void totalbook_put(const struct totalbook *, struct assembly *);

/* See source.h. */
void totalbook_window_end(struct totalbook *);
void totalbook_window_forget(struct totalbook *, struct survivors *);
void totalbook_window_renumber(struct totalbook *, const struct survivors *);

#endif
