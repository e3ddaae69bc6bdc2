/*
 * offcpu_options: the options of the source of time off the CPU: --off-cpu, --wall, --off-min,
 * --wakers.
 */
#ifndef SOURCE_OFFCPU_OPTIONS_H
#define SOURCE_OFFCPU_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "source/source.h"

struct offcpu_choice {
	bool wakers;	 /* --wakers: also sample who ended the waits */
	bool runners;	 /* --wall: also who runs while others wait for a CPU */
	uint64_t min_ns; /* --off-min: each wait that lasts at least this long is a sample; 0: one
			    per period */
	enum session_switched way;
};

/* See source.h; their parse() returns a struct offcpu_choice. */
extern const struct source_option offcpu_options[];
void offcpu_captures(const void *choice, double hz, struct str *);
/* Time off the CPU per sample. */
uint64_t offcpu_period_ns(double hz);

#endif
