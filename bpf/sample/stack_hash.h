/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_hash: the two 64-bit hashes of a stack, by keys that each capture draws at random: NH of
 * UMAC (RFC 4418, section 5.2.2) with a key of its own for each word and hash. Without the keys
 * nobody can find two stacks that are equal in one hash with a chance above 2^-32, in both above
 * 2^-64. Also for the unit tests: includes no header of the kernel.
 */
#ifndef SAMPLE_STACK_HASH_H
#define SAMPLE_STACK_HASH_H

#include "wire.h"

/* Words that come before the frames. */
#define STACK_HASH_HEAD	 3
#define STACK_HASH_WORDS (STACK_HASH_HEAD + WIRE_USER_FRAMES)

struct two_hashes {
	wire_u64 key, check;
};

static inline __attribute__((always_inline)) wire_u64 stack_hash_term(wire_u64 key, wire_u64 word)
{
	return (wire_u64)((wire_u32)key + (wire_u32)word) *
	       ((wire_u32)(key >> 32) + (wire_u32)(word >> 32));
}

/* @keys: those of the word, one for each hash. */
static inline __attribute__((always_inline)) void stack_hash_mix(struct two_hashes *h,
								 const volatile wire_u64 *keys,
								 wire_u64 word)
{
	h->key += stack_hash_term(keys[0], word);
	h->check += stack_hash_term(keys[1], word);
}

/* Spreads a sum over all bits, one to one: murmur's final mix. */
static inline __attribute__((always_inline)) wire_u64 stack_hash_finish(wire_u64 x)
{
	x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
	return x ^ (x >> 33);
}

#endif
