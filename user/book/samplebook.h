/*
 * samplebook: the samples with stacks of a source, until they are written: rows of this window and
 * of the next, and how complete their stacks are. For sources of samples.
 */
#ifndef BOOK_SAMPLEBOOK_H
#define BOOK_SAMPLEBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stack/assembly.h"
#include "stack/survivors.h"
#include "stack/unwound.h"
#include "wire.h"

struct sample_row {
	uint64_t time_ns, weight;
	uint64_t part;	       /* part of the weight; the source says of what; else 0 */
	uint64_t wait_ns;      /* length of the wait; set by the source, else 0 */
	uint32_t reason;       /* the source's own number for it; else 0 */
	uint32_t holder;       /* the same of who held what it waited for */
	uint32_t thread;       /* of procs */
	uint32_t user, kernel; /* stacks, or NO_STACK */
	uint32_t stream;       /* of the source: 0 is its first stream */
	bool open;	       /* what it waited for has not come yet */
	uint32_t zone;	       /* zone node in the kernel's numbers; 0: none */
};

/* How many samples of a stream have stacks that are incomplete, or in our own probes. */
struct sample_tally {
	int64_t ends[ASSEMBLY_ENDS];
	int64_t guessed, probed;
};

struct samplebook {
	VEC(struct sample_row) rows;
	uint32_t first_stream, streams; /* of the source */
	bool traced;			/* kernel stacks begin in our own program at a tracepoint */
	size_t ended;			/* rows of the window that is being written */
	size_t written;			/* rows of earlier windows */
	size_t most;	   /* rows of the whole capture, at most: readers of the profile hold it in
			      memory */
	int64_t *lost;	   /* by stream: lost because there were that many */
	uint64_t *dropped; /* by stream: as in ledger_slices() */
	struct sample_tally *before; /* by stream, of earlier windows */
	struct sample_tally
		*now; /* of the last profile, which a child may have made: shared memory */
};

void samplebook_init(struct samplebook *, uint32_t first_stream, uint32_t streams);
void samplebook_release(struct samplebook *);

/* Adds a sample. @user: its user stack, unwound in user space or in the kernel. */
void samplebook_add(struct samplebook *, const struct wire_sample *, uint64_t part, uint32_t user,
		    struct stackbook *, struct procs *);
/* samplebook_add() in two steps: the row, and adding it. False: there are too many rows, and the
 * loss was counted. */
struct sample_row samplebook_row(const struct samplebook *, const struct wire_sample *,
				 uint64_t part, uint32_t user, struct stackbook *, struct procs *);
bool samplebook_push(struct samplebook *, const struct sample_row *);
/* The same for a sample whose user stack was unwound in user space. */
void samplebook_add_slice(struct samplebook *, const struct source_slice *, uint64_t part,
			  struct stackbook *, struct procs *);
/* Counts how its stack came to be unwound in user space. */
void samplebook_count_slice(struct samplebook *, const struct source_slice *);
/* See @dropped of ledger_slices(): sum over the streams in @streams (bits). */
uint64_t samplebook_dropped(const struct samplebook *, uint32_t streams);
/* Rows so far, those of earlier windows included. */
size_t samplebook_count(const struct samplebook *);
/* Adds the row to the profile's samples, with one value per metric. The source adds the reason
 * itself. */
void samplebook_put(const struct samplebook *, const struct sample_row *, struct assembly *,
		    const int64_t *values);
/* The same at a node that the source composed. */
void samplebook_put_at(const struct sample_row *, struct assembly *, uint32_t node,
		       const int64_t *values);

/* Counts how complete the stacks of this profile's rows are. Before samplebook_notes(). */
void samplebook_tally(const struct samplebook *, const struct assembly *);
/* The same in steps: starts at zero, then counts one row. */
void samplebook_tally_none(const struct samplebook *);
void samplebook_tally_row(const struct samplebook *, const struct assembly *,
			  const struct sample_row *);
void samplebook_notes(const struct samplebook *, struct assembly *, uint32_t metric,
		      uint32_t streams);

/* See source.h. */
void samplebook_window_end(struct samplebook *);
void samplebook_window_forget(struct samplebook *, struct survivors *);
void samplebook_window_renumber(struct samplebook *, const struct survivors *);

#endif
