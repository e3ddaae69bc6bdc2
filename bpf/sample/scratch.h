/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scratch: memory for samples that programs take which another such program may preempt: a row for
 * each level of that on a CPU. SCRATCH_MAP(x) defines the map, and begin_sample() and end_sample()
 * on it.
 */
#ifndef SAMPLE_SCRATCH_H
#define SAMPLE_SCRATCH_H

#include "sample/sample.h"
#include "sample/stacks.h"
#include "shared.h"

/* A program on a probe can be preempted by another on the same CPU, and that one by a third. */
#define SCRATCHES 4

/* @record: the type of the record, which begins with a struct wire_sample.
 * begin_sample() returns a row whose record holds what all samples have, and is else empty; NULL,
 * which it counts, if all rows are taken. end_sample() takes the stack, sends the record and gives
 * the row back; @now: the registers as for sample_take(). */
#define SCRATCH_MAP(name, record)                                                       \
	struct scratch {                                                                \
		__u32 taken, pad;                                                       \
		record sample;                                                          \
		struct walk walk;                                                       \
	};                                                                              \
	struct {                                                                        \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                \
		__uint(max_entries, SCRATCHES);                                         \
		__type(key, __u32);                                                     \
		__type(value, struct scratch);                                          \
	} name SEC(".maps");                                                            \
	static struct scratch *take_scratch(void)                                       \
	{                                                                               \
		for (__u32 i = 0; i < SCRATCHES; i++) {                                 \
			__u32 key = i;                                                  \
			struct scratch *s = bpf_map_lookup_elem(&name, &key);           \
                                                                                        \
			if (s && !__sync_val_compare_and_swap(&s->taken, 0, 1))         \
				return s;                                               \
		}                                                                       \
		return NULL;                                                            \
	}                                                                               \
	static __always_inline struct scratch *begin_sample(__u32 kind, __u32 stream,   \
							    __u64 now_ns, __u64 weight) \
	{                                                                               \
		struct scratch *s = take_scratch();                                     \
		struct wire_sample *sample;                                             \
                                                                                        \
		if (!s) {                                                               \
			count(stream, WIRE_TAKEN, 1);                                   \
			count(stream, WIRE_LOST_SCRATCH, 1);                            \
			return NULL;                                                    \
		}                                                                       \
		__builtin_memset(&s->sample, 0, sizeof(s->sample));                     \
		sample = (struct wire_sample *)&s->sample;                              \
		sample->kind = kind;                                                    \
		sample->event = stream;                                                 \
		sample->time_ns = now_ns;                                               \
		sample->weight = weight;                                                \
		return s;                                                               \
	}                                                                               \
	static __always_inline __attribute__((unused)) void end_sample(                 \
		void *ctx, struct pt_regs *now, struct scratch *s)                      \
	{                                                                               \
		sample_take(ctx, now, &s->walk, (struct wire_sample *)&s->sample,       \
			    sizeof(s->sample));                                         \
		s->taken = 0;                                                           \
	}

#endif
