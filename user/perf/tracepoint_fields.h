/*
 * tracepoint_fields: the fields of a tracepoint's record, as its format in tracefs describes them,
 * and those that an event asks for: "block:block_rq_issue/dev,sum=bytes/".
 */
#ifndef PERF_TRACEPOINT_FIELDS_H
#define PERF_TRACEPOINT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire_fields.h"

/* What a value means, where its type or name says. */
enum tracepoint_meaning {
	FIELD_NUMBER,
	FIELD_SIGNED,
	FIELD_HEX,    /* an address or flags */
	FIELD_DEVICE, /* a dev_t of the kernel */
	FIELD_STATE,  /* of a task that leaves its CPU */
	FIELD_CALL,   /* the number of a system call of x86-64 */
	FIELD_TEXT
};

struct tracepoint_field {
	char name[32];
	struct wire_field at;
	enum tracepoint_meaning meaning;
	const char
		*unit; /* of a sum: "bytes", "ns"; NULL: no more than the field's name is known */
};

struct tracepoint_fields {
	struct tracepoint_field labels[WIRE_LABELS], sum;
	uint32_t n; /* labels */
	bool has_sum;
};

/* Whether any is asked for. */
static inline bool tracepoint_fields_any(const struct tracepoint_fields *f)
{
	return f->n || f->has_sum;
}

/* Finds the fields in @wanted ("dev,sum=bytes") in the text of a format. -EINVAL with a text that
 * names those that there are. @event: its name, without fields. */
int tracepoint_fields_find(const char *event, const char *format, const char *wanted,
			   struct tracepoint_fields *out);

#endif
