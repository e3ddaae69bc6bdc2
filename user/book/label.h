/*
 * label: the fields that label samples of tracepoints, in words: "dev=8:0 (sda)", "id=257
 * (openat)". For the source oncpu. The number of different ones is bounded.
 */
#ifndef BOOK_LABEL_H
#define BOOK_LABEL_H

#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "perf/tracepoint_fields.h"

/* Different labels of a capture, at most; further ones are "[other values]". */
#define LABELS_MOST 4096

struct labels {
	struct intern texts;
	VEC(uint32_t) rows;   /* texts; row 0: none */
	struct map by_values; /* event and words → row */
	uint64_t left_out;    /* samples whose label was one too many */
};

void labels_init(struct labels *);
void labels_release(struct labels *);

/* The row of what the record says; 0: no label was asked for. @event: the number of the event. */
uint32_t labels_take(struct labels *, const struct tracepoint_fields *, uint32_t event,
		     const struct wire_labelled *);
const char *labels_text(const struct labels *, uint32_t row);

/* The value of a field of @bytes, with its sign if it has one. */
int64_t label_value(const struct tracepoint_field *, uint64_t word);

#endif
