/*
 * flow: the control flow of one function: every instruction that its jumps reach, and the exits by
 * which a call leaves it. Only for the site files.
 */
#ifndef CODE_FLOW_H
#define CODE_FLOW_H

#include "base/vec.h"
#include "code/site_world.h"

/* A place where a call may end. */
struct flow_exit {
	uint64_t address, offset;
	uint8_t probe; /* enum insn_probe */
	uint8_t condition;
};

/* How far back the value of a register is looked for. */
#define FLOW_HISTORY 12

/* The instructions read last on the way to a place, one leading to the next. */
struct flow_history {
	uint64_t at[FLOW_HISTORY];
	size_t n;
};

/* A place that a jump leads to. */
struct flow_place {
	uint64_t address;
	struct flow_history history;
};

struct flow_piece {
	struct code code;
	uint8_t *marks; /* one a byte: whether a decoded instruction starts there, or spans it */
	size_t swept;	/* up to here every byte is decoded, or padding */
};

struct flow {
	const struct site_world *world;
	VEC(struct flow_piece) pieces; /* the function's own first */
	VEC(struct flow_place) todo;
	VEC(struct flow_exit) exits; /* in order of reading */
	VEC(uint64_t) near;	     /* targets of jumps close behind the entry */
	VEC(uint64_t) loops;	     /* from where the code jumps back to its first byte */
	bool inner_jumps;	     /* indirect ones that stay in the function */
	bool own_return;
	size_t landed;	     /* so many pieces were asked for their landing pads */
	const char *unknown; /* why exits may be missing; NULL: they are not */
};

/* Follows the code of @own from its first byte. @out is to be released. */
void flow_run(const struct site_world *, const struct code *own, struct flow *out);
void flow_release(struct flow *);

/* The bytes at @address: how many there are, 0 outside of all pieces. */
size_t flow_bytes(const struct flow *, uint64_t address, const uint8_t **at);

/* How far behind the entry targets are near. */
#define FLOW_NEAR 256

/* Reasons that stand in flow.unknown. */
extern const char flow_bad_bytes[], flow_runs_off[], flow_indirect[], flow_foreign_frame[],
	flow_unknown_target[], flow_odd_condition[], flow_refused[], flow_calls_itself[],
	flow_unknown_pads[];

#endif
