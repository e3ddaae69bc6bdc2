/*
 * zones_listing: what eprof zones shows, as a table for people or as JSON for programs.
 */
#ifndef CMD_ZONES_LISTING_H
#define CMD_ZONES_LISTING_H

#include "function/zonelist.h"

/* The functions that were found, and what is known of them. */
struct zones_found {
	VEC(const struct image *) images; /* borrowed */
	struct zonelist *lists;		  /* one an image */
	char *no_session; /* why uprobe sessions may not be used, one clause; NULL: they may */
};

/* The columns to sort by, as --help and errors name them. */
#define ZONES_SORT_NAMES "address, name, size, cost, site, exit, file or module"

/* 0 if @sort names a column, perhaps behind a "-", which reverses the order; else -EINVAL with a
 * text. */
int zones_sort_check(const char *sort);

/* Prints all functions, sorted by @sort; NULL: by module as mapped, then address, then name.
 * @measure: first times what a call costs here, which takes half a second and the privileges of a
 * capture; errors with a text. */
int zones_listing_print(const struct zones_found *, const char *sort, bool json, bool measure);

#endif
