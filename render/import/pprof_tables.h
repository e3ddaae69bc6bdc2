/*
 * pprof_tables: the mappings, functions and locations of a pprof file, as modules, functions and
 * frames of a profile. For import/pprof.c, whose state this is.
 */
#ifndef IMPORT_PPROF_TABLES_H
#define IMPORT_PPROF_TABLES_H

#include "import/builder.h"
#include "import/pprof_file.h"

#define PPROF_TYPES_MOST  64
#define PPROF_FRAMES_MOST 16384

/* Frames of one location, outermost first. */
struct pprof_span {
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
	struct pprof_span *spans; /* per location */
	uint32_t *modules;	  /* per mapping */
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
int pprof_read_tables(struct pprof *);

#endif
