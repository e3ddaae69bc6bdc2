/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tick: the program on the event with which the loader measures the cost of an interrupt
 * (perf/tick_cost). It only counts, so that the loader times the interrupt and not a sample.
 */
#include "shared.h"

/* Written by the program, on one CPU at a time; read by the loader through its mapping of .bss. */
__u32 timed_ticks;

SEC("?perf_event")
int time_tick(void *ctx)
{
	timed_ticks++;
	return 0;
}
