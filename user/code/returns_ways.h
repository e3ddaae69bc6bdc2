/*
 * returns_ways: infers the frame at each instruction from the control-flow paths through it: from
 * the function's start to the instruction, and from there to the return. Only for the returns
 * files.
 */
#ifndef CODE_RETURNS_WAYS_H
#define CODE_RETURNS_WAYS_H

#include "code/returns_code.h"

enum returns_way {
	RETURNS_UNKNOWN, /* no path was found yet */
	RETURNS_BY_RSP,	 /* the CFA is rsp + cfa */
	RETURNS_BY_RBP,	 /* … rbp + cfa */
	RETURNS_DIFFER,	 /* paths disagree */
};

/* Where the caller's rbp is. */
enum returns_rbp { RETURNS_RBP_SAME, RETURNS_RBP_AT_CFA, RETURNS_RBP_LOST };

struct returns_frame {
	uint16_t way; /* enum returns_way */
	uint16_t bp;  /* enum returns_rbp */
	int32_t cfa, bp_offset;
};

/* The frame before each step of @code, owned by the caller: RETURNS_BY_RSP or _RBP where it was
 * inferred, else RETURNS_DIFFER. */
struct returns_frame *returns_follow(const struct returns_code *code);

#endif
