/*
 * offcpu_threads: how long each thread was off the CPU, all in all, until that is in a file: of the
 * source offcpu.
 */
#ifndef SOURCE_OFFCPU_THREADS_H
#define SOURCE_OFFCPU_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "process/procs.h"
#include "stack/assembly.h"
#include "source/survivors.h"
#include "wire_offcpu.h"

/* A thread that has ended, or was there at the end of the capture. */
struct offcpu_total {
	uint32_t thread; /* of procs */
	uint64_t life_ns, blocked_ns, runnable_ns;
	uint32_t waits, voluntary, involuntary;
};

struct offcpu_threads {
	VEC(struct offcpu_total) rows;
	size_t ended; /* rows of the window that is being written */
};

void offcpu_threads_release(struct offcpu_threads *);
void offcpu_threads_take(struct offcpu_threads *, const struct wire_off_thread *, struct procs *);
/* Adds the rows to the profile. */
void offcpu_threads_put(const struct offcpu_threads *, struct assembly *);

/* See source.h. */
void offcpu_threads_window_end(struct offcpu_threads *);
void offcpu_threads_window_forget(struct offcpu_threads *, struct survivors *);
void offcpu_threads_window_renumber(struct offcpu_threads *, const struct survivors *);

#endif
