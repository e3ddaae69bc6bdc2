/*
 * zonelist_check: whether the zones that were found are what was asked for, and in words why not.
 */
#ifndef FUNCTION_ZONELIST_CHECK_H
#define FUNCTION_ZONELIST_CHECK_H

#include "function/zonelist.h"

/*
 * 0, or a negative errno with a text, when what was asked for is not what there is: -ENOENT: a
 * pattern takes no function (the text tells the nearest names, and why there may be none: a
 * stripped binary, a 32-bit one, the vDSO, JIT code); -E2BIG: more match than the request's max.
 */
int zonelist_check(const struct image *const *images, const struct zonelist *lists, size_t n,
		   const struct zonelist_request *);
/* -E2BIG with its text: so many functions @matched. */
int zonelist_too_many(uint64_t matched, const struct zonelist_request *);
/* That no module is what the pattern of @text asks for, and the nearest of the @n there are. The
 * caller owns it. */
char *zonelist_no_module(const struct image *const *images, size_t n, const char *text);

#endif
