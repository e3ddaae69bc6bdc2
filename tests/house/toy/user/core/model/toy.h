/*
 * toy: two tables for a test of the house: see tests/house. Toys are sums under a name, which refer
 * to a stack, a thread and a frame; toy_starts are rows in time, each of one toy.
 */
#ifndef MODEL_TOY_H
#define MODEL_TOY_H

#include <stdint.h>

#include "model/exact.h"

struct toy {
	uint32_t name;		      /* string */
	uint32_t thread, node, frame; /* of the first start */
	int64_t count;		      /* starts */
	int64_t most;		      /* the greatest value of a start */
	int64_t total;		      /* the sum of their values */
	double mean;		      /* total / count: derived */
	double level;		      /* what holds for a whole window: its mean over time */
	int64_t latest;		      /* the last start's value */

	int64_t first_unix_ns, last_unix_ns; /* when the first and the last start were */
	exact_sum level_exact;		     /* level × ns */
};

struct toy_start {
	uint64_t time_ns; /* since the start of the capture */
	uint32_t thread, node;
	uint32_t toy; /* row of toys */
};

#endif
