/*
 * zones_found: the functions that eprof zones has found, and what is known of them: what is put
 * in order and shown.
 */
#ifndef CMD_ZONES_FOUND_H
#define CMD_ZONES_FOUND_H

#include "cmd/zones_cost.h"
#include "function/zonelist.h"

struct zones_found {
	const struct image *const *images;
	const struct zonelist *lists; /* one an image */
	size_t n;
	const struct zones_cost *cost;
	bool hijack;   /* sessions may be used */
	char *why_not; /* why they may not, one clause; NULL: they may; owned by the caller */
};

#endif
