/*
 * plain_sample: a sample of a perf event with the user registers and a copy of the stack, as the
 * kernel writes it without any program, and the wire_slice that it is made to. Used by
 * session_plain.
 */
#ifndef PERF_PLAIN_SAMPLE_H
#define PERF_PLAIN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

#include "wire.h"

/* A record's length is 16 bits: 30 pieces leave room for what else is in it. */
#define PLAIN_STACK_MOST (30 * WIRE_SLICE_PIECE)

/* A slice as it is made here: the whole pieces of the copy from the stack pointer on, then one that
 * ends where the copy does. */
struct plain_slice {
	struct wire_slice head;
	uint8_t stack[PLAIN_STACK_MOST + WIRE_SLICE_PIECE];
};

/* Asks for such samples, each with a copy of @stack_bytes of the stack, a multiple of 8 up to
 * PLAIN_STACK_MOST. */
void plain_sample_ask(struct perf_event_attr *, uint32_t stack_bytes);

/* The slice of a whole PERF_RECORD_SAMPLE, its event left 0, and in *@id the number by which the
 * kernel calls that. Returns its bytes; 0 for what is no such record. */
size_t plain_sample_decode(const struct perf_event_header *, struct plain_slice *out, uint64_t *id);

#endif
