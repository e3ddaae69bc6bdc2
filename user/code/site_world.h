/*
 * site_world: what is known of a function besides its bytes, for who follows its code: what else
 * the file says of it, told by calls.
 */
#ifndef CODE_SITE_WORLD_H
#define CODE_SITE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/site_kernel.h"

/* A condition that always holds. */
#define SITE_ALWAYS 0xff

/* A piece of code in memory. */
struct code {
	const uint8_t *bytes; /* borrowed */
	size_t n;
	uint64_t address, offset; /* of the first byte */
};

/* Where the return address is at some place in the code: at rsp or rbp + slot. */
struct site_frame {
	bool by_rbp;
	bool no_caller; /* there is none */
	int64_t slot;
};

enum site_target {
	SITE_TARGET_FUNCTION, /* another function: the jump is a tail call */
	SITE_TARGET_PART,     /* a part of this one that was put elsewhere */
	SITE_TARGET_UNKNOWN,
};

/* What is known of a function besides its bytes. Any of the calls may be NULL. */
struct site_world {
	struct site_kernel kernel;
	bool sweep; /* what lies between its code is code too: parts of it are reached by no jump */
	bool switches; /* it leaves its stack for another, by an indirect jump or a RET */
	/* False where it is not known. */
	bool (*frame)(void *context, uint64_t address, struct site_frame *out);
	/* What code outside of the function is that it jumps to; @out is set for
	 * SITE_TARGET_PART. NULL: another function. */
	enum site_target (*target)(void *context, uint64_t address, struct code *out);
	/* Calls @pad with every place where unwinders may land, of the code that starts at
	 * @address; false: that is not known. */
	bool (*pads)(void *context, uint64_t address,
		     void (*pad)(void *pad_context, uint64_t address), void *pad_context);
	/* Whether the variable at @address holds a function of another module that looks at its
	 * return address, or keeps it. NULL: none does. */
	bool (*keeps_return)(void *context, uint64_t address);
	bool stores_keepers; /* any variable may hold such a function */
	/* @n bytes of the file's data at @address, for jump tables; false: not there. */
	bool (*data)(void *context, uint64_t address, void *buf, size_t n);
	void *context;
};

#endif
