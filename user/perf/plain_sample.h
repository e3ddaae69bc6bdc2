/*
 * plain_sample: a sample as the kernel writes it without BPF, with user registers and a copy of the
 * stack, and its conversion to a wire_slice. Used by session_plain.
 */
#ifndef PERF_PLAIN_SAMPLE_H
#define PERF_PLAIN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

#include "wire.h"

/* A record's length is 16 bits: 30 pieces leave room for its other fields. */
#define PLAIN_STACK_MOST (30 * WIRE_SLICE_PIECE)

/* The slice made here: the whole pieces of the copy from the stack pointer on, then one that ends
 * where the copy ends. */
struct plain_slice {
	struct wire_slice head;
	uint8_t stack[PLAIN_STACK_MOST + WIRE_SLICE_PIECE];
};

/* Requests such samples, each with @stack_bytes of stack: a multiple of 8 up to
 * PLAIN_STACK_MOST. */
void plain_sample_ask(struct perf_event_attr *, uint32_t stack_bytes);

/* Decodes a whole PERF_RECORD_SAMPLE to a slice with event 0; *@id is the kernel's number of the
 * event. Returns the slice's size in bytes; 0 if it is not such a record. */
size_t plain_sample_decode(const struct perf_event_header *, struct plain_slice *out, uint64_t *id);

#endif
