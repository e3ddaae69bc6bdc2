/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace: which hits of an event become samples, where not each of them does: every so manieth, or as
 * many as come to a rate, drawn at random. What a sample stands for adds up to all hits.
 */
#ifndef SAMPLE_PACE_H
#define SAMPLE_PACE_H

#include "shared.h"

/* For the verifier, which may not know that it is one. */
#define EVENT_OF(event) ((event) & (WIRE_EVENTS - 1))

/* Set by the loader before load. */
extern const volatile struct wire_pace config_pace[WIRE_EVENTS];

/* Whether samples of @event stand for several hits. */
static __always_inline bool pace_is_stepped(__u32 event)
{
	return config_pace[EVENT_OF(event)].every || config_pace[EVENT_OF(event)].most;
}

/* One more hit: how many a sample of it stands for, and its time; 0: none is taken. */
__u64 pace_step(__u32 event, __u64 *now_ns) __hidden;

#endif
