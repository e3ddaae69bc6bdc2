/*
 * zones_listing: what eprof zones shows, as a table for people or as JSON for programs.
 */
#ifndef CMD_ZONES_LISTING_H
#define CMD_ZONES_LISTING_H

#include <stdbool.h>

#include "code/site.h"
#include "function/zonelist.h"

/* What a call of a zone costs, by the class of its entry site and the way its end is seen: on the
 * reference machine, or as timed on this one. */
struct zones_cost {
	double ns[SITE_CLASSES][EXIT_WAYS];
	bool measured; /* on this machine */
};
extern const struct zones_cost zones_cost_reference;

/* Replaces what can be timed here. Takes half a second, and the privileges of a capture. Errors
 * with a text. */
int zones_cost_measure(struct zones_cost *);

/* The functions that were found, and what is known of them. */
struct zones_found {
	const struct image *const *images;
	struct zonelist *lists; /* one an image */
	size_t n;
	struct zones_cost cost;
	char *no_session; /* why uprobe sessions may not be used, one clause; NULL: they may; owned
			   */
};

/* The columns to sort by, as --help and errors name them. */
#define ZONES_SORT_NAMES "address, name, size, cost, site, exit, file or module"

/* 0 if @sort names a column, perhaps behind a "-", which reverses the order; else -EINVAL with a
 * text. */
int zones_sort_check(const char *sort);

/* Prints all functions, sorted by @sort; NULL: by module as mapped, then address, then name. */
void zones_listing_print(const struct zones_found *, const char *sort, bool json);

#endif
