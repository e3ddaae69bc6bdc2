/*
 * zones_cost: what a call of a zone costs, by the class of its entry site and the way its end is
 * seen: on the reference machine, or as timed on this one.
 */
#ifndef CMD_ZONES_COST_H
#define CMD_ZONES_COST_H

#include "code/site.h"

struct zones_cost {
	double ns[SITE_CLASSES][EXIT_WAYS];
	bool measured; /* on this machine */
};
extern const struct zones_cost zones_cost_reference;

/* Replaces what can be timed here. Takes half a second, and the privileges of a capture. Errors
 * with a text. */
int zones_cost_measure(struct zones_cost *);

double zones_cost_of(const struct zones_cost *, const struct sites *, enum exit_way);

#endif
