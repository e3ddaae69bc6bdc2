/*
 * calibrate: what a probe costs on this machine at this moment, by the class of its site and by how
 * the call's end is seen: timed with functions of our own, in a process of our own, with the very
 * programs that the capture uses.
 */
#ifndef LOAD_CALIBRATE_H
#define LOAD_CALIBRATE_H

#include <stdbool.h>

#include "load/zone_session.h"

/* As in elf/site.h. */
enum { CALIBRATE_NOP5, CALIBRATE_EMULATED, CALIBRATE_STEPPED, CALIBRATE_CLASSES };
enum { CALIBRATE_SESSION, CALIBRATE_RETS, CALIBRATE_NONE, CALIBRATE_WAYS };
#define CALIBRATE_ZONES (CALIBRATE_CLASSES * CALIBRATE_WAYS)

struct calibrated {
	bool known;
	double inner_ns; /* what the probes add to the call's own measured time */
	double outer_ns; /* what they add to its caller's: all of it */
};

struct calibration {
	struct calibrated at[CALIBRATE_CLASSES][CALIBRATE_WAYS];
};

/* Takes some 100 ms. What could not be timed is not known: no errors. Calls must not count yet;
 * zone numbers from the session's max_zones on are used for it. */
void calibrate(struct zone_session *, struct calibration *out);

#endif
