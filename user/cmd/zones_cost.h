/*
 * zones_cost: what a call of a zone costs, by the class of its site and by how its end is seen: as
 * on the reference machine, or as timed on this one.
 */
#ifndef CMD_ZONES_COST_H
#define CMD_ZONES_COST_H

#include "code/site.h"

struct zones_cost {
	double ns[SITE_CLASSES][EXIT_WAYS];
	bool measured; /* on this machine */
};

void zones_cost_reference(struct zones_cost *out);
/* Takes half a second, and the privileges of a capture. Errors with a text. */
int zones_cost_measure(struct zones_cost *out);

double zones_cost_of(const struct zones_cost *, const struct sites *, enum exit_way);

#endif
