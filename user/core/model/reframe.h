/*
 * reframe: puts other frames in the place of some of a profile's, as when functions are named
 * afterwards. All that refers to frames and functions follows.
 */
#ifndef MODEL_REFRAME_H
#define MODEL_REFRAME_H

#include "model/profile.h"

/* In the place of frame i, of the first @n, come the frames by[first[i] … first[i + 1] - 1],
 * innermost first; none: it stays. Stacks that are alike then become one; frames and functions that
 * nothing refers to any more are gone. */
void reframe(struct profile *, const uint32_t *first, const uint32_t *by, size_t n);

#endif
