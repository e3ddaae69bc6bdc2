/*
 * tick_limit: how often a clock may interrupt a program here. The kernel limits the rate of
 * hardware events by what their interrupts take, but not that of a clock: at a period of the length
 * of its interrupt the program that is sampled stands still.
 */
#ifndef PERF_TICK_LIMIT_H
#define PERF_TICK_LIMIT_H

#include "perf/event.h"

/* The highest rate up to @hz at which the event's interrupts take no more than a third of a CPU;
 * what is done in them takes up to as much again. It measures for some milliseconds where the event
 * is a clock and the rate is high; @hz if that fails. Sets *@took_ns to what an interrupt takes; 0:
 * not measured. */
double tick_limit_hz(const struct event *, double hz, double *took_ns);

#endif
