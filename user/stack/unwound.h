/*
 * unwound: a sample whose user stack was unwound in user space, for the source that took it.
 */
#ifndef STACK_UNWOUND_H
#define STACK_UNWOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wire.h"

struct source_slice {
	const struct wire_slice *wire;
	uint32_t stack;
	bool dropped; /* since the kernel's table for it had been dropped */
};

/* Copies its record, of @bytes, which is in two parts there. */
static inline void source_slice_record(const struct source_slice *s, void *record, size_t bytes)
{
	const size_t sample = sizeof(s->wire->sample);

	memcpy(record, &s->wire->sample, sample);
	memcpy((char *)record + sample, s->wire->more, bytes - sample);
}

#endif
