/*
 * queue_rows: how long threads were runnable before they got a CPU, by CPU, from the counts of
 * the programs in the kernel. For the source offcpu.
 */
#ifndef SOURCE_QUEUE_ROWS_H
#define SOURCE_QUEUE_ROWS_H

#include "load/session.h"
#include "stack/assembly.h"

/* Adds the rows of the capture so far. */
void queue_rows_put(struct session *, struct assembly *);

#endif
