/*
 * offcpu_queue: how long threads were runnable before they got a CPU, by CPU, from the counts of
 * the programs in the kernel. For the source offcpu.
 */
#ifndef SOURCE_OFFCPU_QUEUE_H
#define SOURCE_OFFCPU_QUEUE_H

#include "load/session.h"
#include "source/assembly.h"

/* Adds the rows of the capture so far. */
void offcpu_queue_put(struct session *, struct assembly *);

#endif
