/*
 * switch_cost: measures what BPF programs at switches take from the threads that switch, beyond
 * what the programs see on their own clock: the tracepoint's way to them and back. Two threads of
 * the loader wake each other on one CPU, before the programs are attached and after; what a switch
 * then takes longer is the cost, by the time of system calls without a switch, as the CPU's speed
 * changes. They are none of the target's, so that the programs do little. Where
 * the target's tasks have events of their own, which the kernel stops and starts at each switch, so
 * do these threads then.
 */
#ifndef PERF_SWITCH_COST_H
#define PERF_SWITCH_COST_H

#include "perf/event.h"

struct switch_cost;
/* Measures switches as they are, for some milliseconds. NULL, without error, where it cannot. */
struct switch_cost *switch_cost_new(void);
/* Opens the event for both threads from now on, if it can. */
void switch_cost_watch(struct switch_cost *, const struct event *, double hz); /* accepts NULL */
void switch_cost_free(struct switch_cost *);				       /* accepts NULL */
/* Measures them again, on the same CPU: by how many ns of CPU time a switch has become longer,
 * at least 0. */
double switch_cost_grown_ns(struct switch_cost *);

#endif
