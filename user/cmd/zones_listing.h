/*
 * zones_listing: what eprof zones shows, as a table for people and as JSON for programs.
 */
#ifndef CMD_ZONES_LISTING_H
#define CMD_ZONES_LISTING_H

#include "cmd/zones_cost.h"
#include "symbol/zonelist.h"

struct zones_listing {
	const struct image *const *images;
	const struct zonelist *lists; /* one an image */
	size_t n;
	const struct zones_cost *cost;
	bool hijack;   /* sessions may be used */
	char *why_not; /* why they may not, one clause; NULL: they may; owned by the caller */
};

struct zones_rows; /* cmd/zones_order.h: all of them, in order */
void zones_listing_table(const struct zones_listing *, const struct zones_rows *);
void zones_listing_json(const struct zones_listing *, const struct zones_rows *);

#endif
