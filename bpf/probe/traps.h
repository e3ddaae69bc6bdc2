/* SPDX-License-Identifier: GPL-2.0 */
/*
 * traps: how much of the target's CPU time its probes take, by samples of where its threads are.
 * For actions that must know what they cost before they have run for long.
 */
#ifndef PROBE_TRAPS_H
#define PROBE_TRAPS_H

#include "shared.h"

/* Set by the loader while samples are taken. */
extern __u32 probe_traps_on;

/* Notes that a thread on this CPU is at a probe; @ip: where it goes on, or the probed
 * instruction. */
void probe_traps_note(__u64 ip) __hidden;

static __always_inline void probe_traps_at(__u64 ip)
{
	if (probe_traps_on)
		probe_traps_note(ip);
}

#endif
