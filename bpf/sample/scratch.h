/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scratch: memory for samples that programs take which another such program may preempt: a row for
 * each level of that on a CPU. SCRATCH_MAP(x) defines the map and its take_scratch().
 */
#ifndef SAMPLE_SCRATCH_H
#define SAMPLE_SCRATCH_H

#include "sample/stacks.h"

/* A program on a probe can be preempted by another on the same CPU, and that one by a third. */
#define SCRATCHES 4

/* @record: the type of the record, which begins with a struct wire_sample. take_scratch() returns
 * NULL if all rows are taken; whoever got one sets `taken` to 0. */
#define SCRATCH_MAP(name, record)                                               \
	struct scratch {                                                        \
		__u32 taken, pad;                                               \
		record sample;                                                  \
		struct walk walk;                                               \
	};                                                                      \
	struct {                                                                \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                        \
		__uint(max_entries, SCRATCHES);                                 \
		__type(key, __u32);                                             \
		__type(value, struct scratch);                                  \
	} name SEC(".maps");                                                    \
	static struct scratch *take_scratch(void)                               \
	{                                                                       \
		for (__u32 i = 0; i < SCRATCHES; i++) {                         \
			__u32 key = i;                                          \
			struct scratch *s = bpf_map_lookup_elem(&name, &key);   \
                                                                                \
			if (s && !__sync_val_compare_and_swap(&s->taken, 0, 1)) \
				return s;                                       \
		}                                                               \
		return NULL;                                                    \
	}

#endif
