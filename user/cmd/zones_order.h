/*
 * zones_order: the order in which eprof zones lists functions. By default modules stand as they are
 * mapped, and in each the functions by address, then name.
 */
#ifndef CMD_ZONES_ORDER_H
#define CMD_ZONES_ORDER_H

#include "base/vec.h"
#include "cmd/zones_found.h"

/* A function of the listing. */
struct zones_row {
	size_t image;		     /* number of its module */
	const struct zone_def *zone; /* borrowed from its list */
	double cost_ns;		     /* of a call; 0 where it cannot be a zone */
};

struct zones_rows {
	VEC(struct zones_row) at;
};

/* Columns by which they can be put in order, as --help and errors name them. */
#define ZONES_ORDER_NAMES "address, name, size, cost, site, exit, file or module"

/* 0 where @order names a column, "-" before it turning the order round; else -EINVAL with a text.
 */
int zones_order_check(const char *order);
/* All functions of the listing in the order that zones_order_check() let pass; NULL: the default.
 * Released by zones_rows_release(). */
void zones_rows_build(const struct zones_found *, const char *order, struct zones_rows *out);
void zones_rows_release(struct zones_rows *);

#endif
