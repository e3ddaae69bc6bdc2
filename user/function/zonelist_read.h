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

/* The names in @images that are nearest to the one that pattern number @pattern is for. */
void zonelist_nearest(const struct image *const *images, size_t n, const struct zonelist_request *,
		      size_t pattern, struct nearest *out);

#endif
