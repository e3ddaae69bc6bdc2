/*
 * window: the spans of time in which the rows of a profile were captured. Each ends where the next
 * one begins; what was captured in it was written then.
 */
#ifndef MODEL_WINDOW_H
#define MODEL_WINDOW_H

#include <stdint.h>

/* [t0_ns, t1_ns), since the start of the capture. */
struct window {
	uint64_t t0_ns, t1_ns;
};

#endif
