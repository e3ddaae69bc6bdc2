/*
 * slices: the stacks of a lane as spans of time, one a function, nested: what a thread was seen in
 * from one sample to the next. For exports that show a thread as slices.
 *
 * A sample stands for the time from it on: its value where that is ns, else the time between two
 * samples. The next sample ends it, and goes on with the slices of the functions that both have in
 * common if no more than that time again lies between them. Slices of a lane never overlap.
 */
#ifndef EXPORT_SLICES_H
#define EXPORT_SLICES_H

#include "export/lanes.h"

/* The end of the innermost slice (function 0), or the begin of one in it. */
typedef void slices_change(void *data, uint64_t time_ns, uint32_t function);

/* Calls @change for each, in order of time; as many begin as end. */
void slices_walk(const struct profile *, struct lane, slices_change *change, void *data);

#endif
