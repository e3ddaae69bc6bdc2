/*
 * returns_ways: what the ways through code tell of its frames: from where a function starts to an
 * instruction, and from there to the return. Only for the returns files.
 */
#ifndef ELF_RETURNS_WAYS_H
#define ELF_RETURNS_WAYS_H

#include "code/returns_code.h"

enum returns_way {
	RETURNS_UNKNOWN, /* no way was found yet */
	RETURNS_BY_RSP,	 /* the CFA is rsp + cfa */
	RETURNS_BY_RBP,	 /* … rbp + cfa */
	RETURNS_DIFFER,	 /* ways differ */
};

/* Where the caller's rbp is. */
enum returns_rbp { RETURNS_RBP_SAME, RETURNS_RBP_AT_CFA, RETURNS_RBP_LOST };

struct returns_frame {
	uint16_t way; /* enum returns_way */
	uint16_t bp;  /* enum returns_rbp */
	int32_t cfa, bp_offset;
};

/* Before each step of @code, owned by the caller: RETURNS_BY_RSP or _RBP where something is told,
 * else RETURNS_DIFFER. */
struct returns_frame *returns_follow(const struct returns_code *code);

#endif
