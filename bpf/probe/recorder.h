/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder: the array of slots in which events stand in their order, the newest over the oldest.
 * The loader reads it in place, so that nobody need keep up with the programs.
 */
#ifndef PROBE_RECORDER_H
#define PROBE_RECORDER_H

#include "shared.h"
#include "wire_event.h"

/* Fills and publishes the next slot with what @e has but serial and time, which is now. tid 0: of
 * the current thread. */
void recorder_put(const struct wire_event *e) __hidden;

/* The same for a part of what the current thread's next entry is given: value1, value2 and more are
 * @values. Takes less of the stack. What it is goes into one word. */
static __always_inline __u64 recorder_part(__u32 function, __u16 kind, __u16 flags)
{
	return (__u64)function << 32 | (__u32)flags << 16 | kind;
}
void recorder_put_part(__u64 part, const __u64 *values) __hidden;

#endif
