/*
 * pprof_tables: the message of a pprof file, out of its gzip and in bounded memory whatever the
 * file claims; and its mappings, functions and locations as modules, functions and frames of a
 * profile. For import/pprof.c, whose state this is.
 */
#ifndef IMPORT_PPROF_TABLES_H
#define IMPORT_PPROF_TABLES_H

#include "import/builder.h"
#include "import/scan.h"
#include "pprof.pb-c.h"

/* The bytes of a message may be so many, and what it becomes in memory. */
#define PPROF_BYTES_MAX	 ((size_t)512 << 20)
#define PPROF_MEMORY_MAX ((size_t)3 << 30)

struct pprof_file {
	Pprof__Profile *message;
	size_t bytes; /* that it was made of */
	ProtobufCAllocator allocator;
	size_t left; /* that the allocator may still give */
};

/* Whether the bytes, the first of a file, begin such a message, in a gzip or out of it. */
bool pprof_file_is(struct span head);

/* -EINVAL with a text: no gzip, cut off, no such message. -EFBIG: larger than the bounds. The file
 * does not move before the release, which is due in either case. */
int pprof_file_read(struct pprof_file *, struct input *);
void pprof_file_release(struct pprof_file *);

/* --- tables ----------------------------------------------------------------------------------- */

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
