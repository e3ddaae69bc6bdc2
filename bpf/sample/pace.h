/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace: decides which hits of a stream become samples: every Nth, or a random choice that keeps to
 * a rate. The weights of the samples add up to all hits.
 */
#ifndef SAMPLE_PACE_H
#define SAMPLE_PACE_H

#include "shared.h"

/* Bound the numbers of an event and of a stream for the verifier. */
#define EVENT_OF(event)	  ((event) & (WIRE_EVENTS - 1))
#define STREAM_OF(stream) ((stream) & (WIRE_PACED - 1))

/* Set by the loader before load. */
extern const volatile struct wire_pace config_pace[WIRE_PACED];

/* Whether samples of @stream stand for several hits. */
static __always_inline bool pace_is_stepped(__u32 stream)
{
	return config_pace[STREAM_OF(stream)].every || config_pace[STREAM_OF(stream)].most;
}

/* Counts a hit. Returns how many hits a sample of it stands for, and its time; 0: take no
 * sample. */
__u64 pace_step(__u32 stream, __u64 *now_ns) __hidden;

#endif
