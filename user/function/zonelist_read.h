/*
 * zonelist_read: reads the zonelists of images in worker processes that are confined before they
 * read; checks what they answer.
 *
 * For a capture:
 *
 * 	struct zonelist lists[n];
 * 	zonelist_read(images, n, &request, lists);
 * 	if (zonelist_check(images, lists, n, &request)) // no match, or too many
 * 		return …;
 * 	… lists[i].zones.at[k].sites.entry.offset, in images[i]->fd …
 * 	for (i = 0; i < n; i++)
 * 		zonelist_release(&lists[i]);
 */
#ifndef FUNCTION_ZONELIST_READ_H
#define FUNCTION_ZONELIST_READ_H

#include "select/nearest.h"
#include "function/zonelist.h"

/*
 * Reads @n images, several at a time, into @out. An image that cannot be read gets a problem.
 * Images that no pattern concerns are still searched for switches, hijack_unsafe and flags.
 */
void zonelist_read(const struct image *const *images, size_t n, const struct zonelist_request *,
		   struct zonelist *out);

/*
 * 0, or a negative errno with a text: -ENOENT: a pattern matches no function (the text suggests the
 * nearest names, and why there may be none: a stripped binary, a 32-bit one, the vDSO, JIT code);
 * -E2BIG: more functions match than the request's max.
 */
int zonelist_check(const struct image *const *images, const struct zonelist *lists, size_t n,
		   const struct zonelist_request *);
/* Returns -E2BIG, with a text, as there are @matched functions. */
int zonelist_too_many(uint64_t matched, const struct zonelist_request *);
/* The message that no module is named as the pattern @text says, with the nearest of the @n there
 * are. Owned by the caller. */
char *zonelist_no_module(const struct image *const *images, size_t n, const char *text);

#endif
