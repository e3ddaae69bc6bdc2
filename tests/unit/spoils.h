/*
 * spoils: what one wrong value does to a profile that is right without it.
 */
#ifndef TESTS_SPOILS_H
#define TESTS_SPOILS_H

#include <errno.h>

#include "base/err.h"
#include "model/profile.h"

/* @what is done to p, which is @made anew; then profile_check() says @text. */
#define SPOILS_OF(made, what, text)                          \
	do {                                                 \
		struct profile *p = made;                    \
		assert_int_equal(profile_check(p), 0);       \
		what;                                        \
		assert_int_equal(profile_check(p), -EINVAL); \
		assert_string_equal(err_text(), text);       \
		profile_free(p);                             \
	} while (0)

#endif
