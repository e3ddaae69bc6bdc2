/*
 * cost: what a profile cost: "BPF run time", "ns" … Also facts of quality that are no events. A row
 * a name and unit.
 */
#ifndef MODEL_COST_H
#define MODEL_COST_H

#include <stdint.h>

#include "model/exact.h"

#define COST_SLOWDOWN  "slowdown by samples: " /* … and what it holds; % of an undisturbed run */
#define COST_INTERRUPT "interrupt of a sample of " /* … the event; ns each */
#define COST_SWITCH    "a switch of a thread, beside the programs there" /* ns each */

/* How rows of several windows or captures add up. Stored: append only. */
enum cost_adds {
	COST_UNKNOWN, /* of a file of before it was told: by name and unit */
	COST_SUM,
	COST_MEAN, /* over time: shares, in % */
	COST_MOST, /* the greatest: prices of one thing, and memory, which is not held twice */
};

struct cost_row {
	uint32_t name, unit;
	double value;
	uint8_t adds;	 /* enum cost_adds */
	exact_sum exact; /* of COST_SUM the value, of COST_MEAN value × ns */
};

#endif
