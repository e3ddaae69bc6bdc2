/*
 * probe_cost: which zones cost what they measure: a fact for the summary.
 */
#ifndef VIEW_PROBE_COST_H
#define VIEW_PROBE_COST_H

#include "view/view.h"

/* Nothing where the profile does not say what its probes cost. */
void probe_cost_fact(const struct view_input *, struct doc_block *);

#endif
