/*
 * offcpu_options: what record takes for time off the CPU: --off-cpu, --wall, --off-min, --wakers.
 * Of the source offcpu.
 */
#ifndef SOURCE_OFFCPU_OPTIONS_H
#define SOURCE_OFFCPU_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "source/source.h"

struct offcpu_choice {
	bool wakers;	 /* who ended the waits is asked for, too */
	uint64_t min_ns; /* each wait at least so long is a sample; 0: one per period is */
	enum session_switched way;
};

/* See source.h; their parse() makes a struct offcpu_choice. */
extern const struct source_option offcpu_options[];
void offcpu_captures(const void *choice, double hz, struct str *);
/* Time off the CPU per sample. */
uint64_t offcpu_period_ns(double hz);

#endif
