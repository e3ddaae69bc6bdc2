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

#endif
