/*
 * pprof_state: a pprof file that is being read into a profile: what import/pprof*.c share.
 */
#ifndef IMPORT_PPROF_STATE_H
#define IMPORT_PPROF_STATE_H

#include "import/builder.h"
#include "import/pprof_file.h"

#define PPROF_TYPES_MOST  64
#define PPROF_FRAMES_MOST 16384

/* Frames of one location, outermost first. */
struct pprof_place {
	size_t first;
	uint32_t n;
};

struct pprof_type {
	uint32_t metric;
	int64_t scale; /* to ns */
};

struct pprof {
	const char *name; /* of the file */
	struct builder *b;
	const Pprof__Profile *m;
	struct map mappings, functions, locations; /* id → row */
	VEC(uint32_t) frames;
	struct pprof_place *places; /* per location */
	uint32_t *modules;	    /* per mapping */
	struct pprof_type types[PPROF_TYPES_MOST];
	size_t count; /* of types, the one that counts samples; n_sample_type: none does */
	size_t walked, walk_most;
	int64_t labels; /* that were left out */
};

/* All of these: 0, or a negative errno with a text that names the file. */

/* "… is no sound pprof profile: WHAT ROW". */
int pprof_bad(const struct pprof *, const char *what, size_t row);
/* NULL with a text: there is no such string. */
const char *pprof_string(const struct pprof *, int64_t number);
/* The same as a number of the profile's; 0 with @rc set where there is none. */
uint32_t pprof_text(struct pprof *, int64_t number, int *rc);

/* pprof_types.c: the metrics, and when and for how long there were samples. */
int pprof_read_types(struct pprof *);
int pprof_read_times(struct pprof *);
/* pprof_comments.c: attributes of the run and the machine, as eprof writes them. */
int pprof_read_comments(struct pprof *);
/* pprof_tables.c: mappings, functions, and the frames of locations. */
int pprof_read_tables(struct pprof *);
/* pprof_samples.c: row @i, once there are types and tables. */
int pprof_read_sample(struct pprof *, size_t i);

#endif
