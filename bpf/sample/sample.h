/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample: the stack sample as a service: walks the stacks of the current task, sends each distinct
 * one once, and the sample that names them. For programs of every kind; each kind has a scratch of
 * its own, since one may interrupt another.
 */
#ifndef SAMPLE_SAMPLE_H
#define SAMPLE_SAMPLE_H

#include "sample/stacks.h"

/* Sends @sample, of which kind, event, time_ns and weight are set, and counts what became of it
 * under that event. @now: the registers where the task was interrupted, NULL where nobody knows;
 * @walk: the scratch, which nobody else uses meanwhile. */
void sample_take(void *ctx, struct pt_regs *now, struct walk *walk,
		 struct wire_sample *sample) __hidden;

#endif
