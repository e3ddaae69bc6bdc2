/*
 * zones_listing: what eprof zones shows, as a table for people and as JSON for programs.
 */
#ifndef CMD_ZONES_LISTING_H
#define CMD_ZONES_LISTING_H

#include "cmd/zones_found.h"
#include "cmd/zones_order.h"

/* All of them, in the order of the rows. */
void zones_listing_table(const struct zones_found *, const struct zones_rows *);
void zones_listing_json(const struct zones_found *, const struct zones_rows *);

#endif
