/*
 * protobuf_fields: reads a message of protocol buffers field by field, where it lies. For importers
 * of messages that are many, or that hold more than is read.
 *
 *	while (protobuf_next(&rest, &field))
 *		if (field.number == 2)
 *			use(field.bytes);
 *	if (rest.n)
 *		it is damaged, or cut off
 */
#ifndef IMPORT_PROTOBUF_FIELDS_H
#define IMPORT_PROTOBUF_FIELDS_H

#include "import/scan.h"

struct protobuf_field {
	uint32_t number;
	uint64_t value;	   /* of a number; of 32 or 64 bits that are fixed, these bits */
	struct span bytes; /* of a text or message; NULL: it is a number */
};

/* Takes a number of protobuf's from the front. False: it ends too early, or is too long. */
bool protobuf_varint(struct span *at, uint64_t *out);
/* Takes the next field from the front. False: there is none, or it is damaged; then @at is what it
 * was. */
bool protobuf_next(struct span *at, struct protobuf_field *out);

#endif
