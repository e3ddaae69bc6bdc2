/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_fields: the part of the contract (wire.h) for fields of tracepoints, which the programs read
 * from the tracepoint's record: labels of a sample, and a value that is summed up.
 */
#ifndef WIRE_FIELDS_H
#define WIRE_FIELDS_H

#include "wire.h"

#define WIRE_LABELS	 2
#define WIRE_LABEL_WORDS 2

enum wire_field_kind {
	WIRE_FIELD_NONE = 0,
	WIRE_FIELD_NUMBER, /* of 1, 2, 4 or 8 bytes */
	WIRE_FIELD_TEXT,   /* characters, of which the first ones are taken */
	WIRE_FIELD_FAR, /* 16 bits offset, 16 bits length of characters elsewhere in the record */
};

/* Where a field is in the record. */
struct wire_field {
	wire_u16 offset, bytes;
	wire_u16 kind; /* enum wire_field_kind */
	wire_u16 pad;
};

/* What the program of an event reads. */
struct wire_fields {
	struct wire_field labels[WIRE_LABELS], sum;
};

/* A sample of kind WIRE_SAMPLE of an event that asks for fields: larger than others. */
struct wire_labelled {
	struct wire_sample sample;
	wire_u64 labels[WIRE_LABELS][WIRE_LABEL_WORDS]; /* a number in the first, or text */
	wire_u64 sum;
};
_Static_assert(sizeof(struct wire_labelled) == WIRE_BYTES_oncpu + 40,
	       "wire_labelled is part of the contract");

#endif
