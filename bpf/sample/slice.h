/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slice: a copy of stack memory as it stands in the ring.
 */
#ifndef SAMPLE_SLICE_H
#define SAMPLE_SLICE_H

#include "kernel.h"
#include "sample/uretprobe.h"
#include "wire.h"

struct slice {
	struct wire_slice head;
	__u8 bytes[];
};

/* Makes @head that of @sample, with which a record of @bytes begins, a constant. */
static __always_inline void slice_name(struct wire_slice *head, const struct wire_sample *sample,
				       __u32 bytes)
{
	const __u64 *more = (const void *)(sample + 1);

	head->sample = *sample;
	head->sample.kind = WIRE_SLICE;
	for (__u32 i = 0; i < WIRE_MORE; i++)
		head->more[i] = bytes >= sizeof(*sample) + (i + 1) * sizeof(*more) ? more[i] : 0;
	head->source = sample->kind;
}

/* What user space needs of the thread besides its memory. @registers: by DWARF number; @syscall: as
 * in struct wire_stack. */
static __always_inline void slice_thread(struct wire_slice *head, const __u64 *registers,
					 const struct uretprobe_origins *origins, __u16 syscall)
{
	head->syscall = syscall;
	head->lowest = head->chain = 0;
	head->trampoline = origins->trampoline;
	head->n_origins = origins->n;
	__builtin_memcpy(head->origins, origins->at, sizeof(head->origins));
	for (int i = 0; i < 17; i++)
		head->registers[i] = registers[i];
}

#endif
