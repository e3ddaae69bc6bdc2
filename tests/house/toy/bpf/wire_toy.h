/* SPDX-License-Identifier: GPL-2.0 */
/* wire_toy: the record of an action, for a test of the house. */
#ifndef WIRE_TOY_H
#define WIRE_TOY_H

#include "wire.h"

struct wire_toy {
	wire_u32 kind; /* WIRE_PROBE_toy */
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u32 tid, value; /* the second argument of a call */
};
_Static_assert(sizeof(struct wire_toy) == WIRE_PROBE_BYTES_toy, "wire_toy is in actions.def");

#endif
