/*
 * jfr_chunk: what a chunk of a recording of Java's Flight Recorder says of its own layout: the
 * classes of values and their fields, by which everything else is read or passed over. For
 * import/jfr*.
 *
 * Bounded: values nest no deeper than JFR_DEPTH, and all of a file's take no more steps than a
 * multiple of its bytes, whatever lengths of arrays it claims.
 */
#ifndef IMPORT_JFR_CHUNK_H
#define IMPORT_JFR_CHUNK_H

#include "base/hash.h"
#include "base/vec.h"
#include "import/scan.h"

#define JFR_HEADER_BYTES 68
#define JFR_DEPTH	 16
#define JFR_BYTE_STEPS	 4 /* a byte of the file */

/* Texts that the file has in UTF-16, as this program has them. */
struct jfr_texts {
	VEC(char *) at;
};
void jfr_texts_release(struct jfr_texts *);

/* Reads on from @at; what is past @end reads as 0 and sets @bad. */
struct jfr_cursor {
	const unsigned char *at, *end;
	uint64_t steps; /* left */
	struct jfr_texts *texts;
	bool bad;
};

uint64_t jfr_number(struct jfr_cursor *);
/* A text, within the file or in @texts; "" for those that are in a pool. */
struct span jfr_text(struct jfr_cursor *);

struct jfr_field {
	struct span name;
	uint64_t class;
	bool pooled, array;
};

struct jfr_class {
	struct span name;
	uint64_t id;
	size_t first, n; /* fields */
};

struct jfr_chunk {
	const unsigned char *start; /* of the file's bytes from here on */
	size_t n;		    /* bytes of the chunk */
	uint64_t pools, start_ns, start_ticks, ticks_a_second;
	VEC(struct jfr_class) classes;
	VEC(struct jfr_field) fields;
	struct map by_id; /* of a class: its row + 1 */
};

/* Reads the header and the classes of the chunk that @bytes begin with. False: it is broken, or
 * its numbers are not compressed. Released by the caller in either case. */
bool jfr_chunk_read(struct jfr_chunk *, struct span bytes, struct jfr_texts *, uint64_t *steps);
void jfr_chunk_release(struct jfr_chunk *);

/* NULL: there is none. */
const struct jfr_class *jfr_class(const struct jfr_chunk *, uint64_t id);

/* What a field's value is read with: returns false to have it passed over. */
typedef bool (*jfr_take_fn)(void *context, const struct jfr_field *, struct jfr_cursor *);

/* Reads a value of the class, field by field; @take NULL: passes over it. */
void jfr_value(const struct jfr_chunk *, const struct jfr_class *, struct jfr_cursor *,
	       jfr_take_fn take, void *context);

#endif
