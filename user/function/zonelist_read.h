/*
 * zonelist_read: reads the zonelists of images by child processes that are confined before they
 * read; what they say is checked.
 *
 * For a capture:
 *
 *	struct zonelist lists[n];
 *	zonelist_read(images, n, &request, lists);
 *	if (zonelist_check(images, lists, n, &request))		no match, or too many
 *		return …;
 *	… lists[i].zones.at[k].sites.entry.offset, in images[i]->fd …
 *	for (i = 0; i < n; i++) zonelist_release(&lists[i]);
 */
#ifndef FUNCTION_ZONELIST_READ_H
#define FUNCTION_ZONELIST_READ_H

#include "function/nearest.h"
#include "function/zonelist.h"

/*
 * Reads @n images, several at a time, into @out. What cannot be read has a problem. Modules that
 * no pattern wants are still asked for switches, hijack_unsafe and flags.
 */
void zonelist_read(const struct image *const *images, size_t n, const struct zonelist_request *,
		   struct zonelist *out);

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
