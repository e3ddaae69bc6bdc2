/*
 * meta_given: attributes of the user's own, --meta KEY=VALUE, which a profile keeps beside what it
 * says itself of machine and build (model/meta.h).
 */
#ifndef SELECT_META_GIVEN_H
#define SELECT_META_GIVEN_H

#include <stdbool.h>

#include "base/vec.h"
#include "model/profile.h"

#define META_GIVEN_MOST	  64
#define META_KEY_BYTES	  64
#define META_VALUE_BYTES  4096
#define META_GIVEN_OPTION "--meta KEY=VALUE"

/* Zeroed: none. */
struct meta_given {
	VEC(struct meta_pair {
		char *key;	   /* owned */
		const char *value; /* borrowed */
	})
	pairs;
};

/* Adds "KEY=VALUE", borrowed: -EINVAL with a text that says what is wrong with it. For
 * OPTION_TAKE. */
int meta_given_take(void *meta_given, const char *pair);
void meta_given_apply(const struct meta_given *, struct profile *);
void meta_given_release(struct meta_given *);

/* Whether the key is of model/meta.h: what a profile says by itself. */
bool meta_is_ours(const char *key);

#endif
