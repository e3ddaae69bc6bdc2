/*
 * ranbook: who ran while threads of the target were ready without a CPU, until it is written. For
 * the source offcpu.
 */
#ifndef BOOK_RANBOOK_H
#define BOOK_RANBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "load/session.h"
#include "process/procs.h"
#include "stack/survivors.h"
#include "stack/assembly.h"
#include "wire_offcpu.h"

/* Pairs of threads, at most, in a window. */
#define RANBOOK_ROWS (64u << 10)

struct ran_row {
	uint32_t thread; /* of procs: who waited */
	uint32_t by, pid, tid;
	char name[17];
	uint64_t ns;
};

struct ranbook {
	VEC(struct ran_row) rows;
	struct map by_pair;
	size_t ended;	  /* rows of the window that is being written */
	uint64_t lost_ns; /* since the start of the capture: there was no room */
};

void ranbook_release(struct ranbook *);
/* Takes what the programs have added up since the last call. */
void ranbook_take(struct ranbook *, struct session *, struct procs *);
void ranbook_put(const struct ranbook *, struct assembly *);

/* See source.h. */
void ranbook_window_end(struct ranbook *);
void ranbook_window_forget(struct ranbook *, struct survivors *);
void ranbook_window_renumber(struct ranbook *, const struct survivors *);

#endif
