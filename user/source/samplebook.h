/*
 * samplebook: the samples with stacks that a source has taken in, until they are in a file: rows of
 * this window and of what comes next, and how whole their stacks are. For sources of samples.
 */
#ifndef SOURCE_SAMPLEBOOK_H
#define SOURCE_SAMPLEBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stack/assembly.h"
#include "source/survivors.h"
#include "source/source.h"
#include "wire.h"

struct sample_row {
	uint64_t time_ns, weight;
	uint64_t part;	       /* of the weight, as the source says; else 0 */
	uint64_t wait_ns;      /* length of the wait that it is of; set by the source, else 0 */
	uint32_t reason;       /* a number of the source's, which sets it; else 0 */
	uint32_t thread;       /* of procs */
	uint32_t user, kernel; /* stacks, or NO_STACK */
	uint32_t stream;       /* of the source: 0 is its first */
	uint32_t zone;	       /* node of the kernel's, 0 none */
};

/* How many samples of a stream have stacks that are not whole, or not the program's own doing. */
struct sample_tally {
	int64_t ends[ASSEMBLY_ENDS];
	int64_t guessed, probed;
};

struct samplebook {
	VEC(struct sample_row) rows;
	uint32_t first_stream, streams; /* of the source */
	bool traced;			/* kernel stacks begin in our program on a tracepoint */
	size_t ended;			/* rows of the window that is being written */
	size_t written;			/* rows that left with earlier windows */
	size_t most;		     /* rows in all: a profile is held in memory when it is read */
	int64_t *lost;		     /* by stream: came when there were so many */
	uint64_t *dropped;	     /* by stream: as in ledger_slices() */
	struct sample_tally *before; /* by stream: of earlier windows */
	struct sample_tally *now;    /* of the profile made last, perhaps by a child: shared */
};

void samplebook_init(struct samplebook *, uint32_t first_stream, uint32_t streams);
void samplebook_release(struct samplebook *);

/* @user: its user stack, walked here or in the kernel. */
void samplebook_add(struct samplebook *, const struct wire_sample *, uint64_t part, uint32_t user,
		    struct stackbook *, struct procs *);
/* The row that samplebook_add() would add, and adding it; false: there are too many, which is
 * counted. */
struct sample_row samplebook_row(const struct samplebook *, const struct wire_sample *,
				 uint64_t part, uint32_t user, struct stackbook *, struct procs *);
bool samplebook_push(struct samplebook *, const struct sample_row *);
/* The same for one whose user stack was walked here. */
void samplebook_add_slice(struct samplebook *, const struct source_slice *, uint64_t part,
			  struct stackbook *, struct procs *);
/* Counts what became of the walk of one. */
void samplebook_count_slice(struct samplebook *, const struct source_slice *);
/* As in ledger_slices(): of the streams in @streams (bits). */
uint64_t samplebook_dropped(const struct samplebook *, uint32_t streams);
/* Rows taken in so far, those of earlier windows included. */
size_t samplebook_count(const struct samplebook *);
/* Adds the row to the profile's samples, with these values, one per metric. Its reason is the
 * source's to add. */
void samplebook_put(const struct samplebook *, const struct sample_row *, struct assembly *,
		    const int64_t *values);

/* Rows of the ledger for @metric, which the streams in @streams (bits) have values of: counts the
 * stacks of this profile's rows first. */
void samplebook_tally(const struct samplebook *, const struct assembly *);
/* The same in parts: none, then a row whose user stack is shown. */
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
