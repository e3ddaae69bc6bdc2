/* zone_stacks: the call tree of zones as the samples of a profile, for exports of stacks. */
#ifndef EXPORT_ZONE_STACKS_H
#define EXPORT_ZONE_STACKS_H

#include "query/tree.h"

/* The metrics of such a profile. */
#define ZONE_STACKS_CALLS "calls"
#define ZONE_STACKS_TIME  "time"

/*
 * A profile of one thread, "zones", with one row for each place of @zones (zone_tree_build()): how
 * often the zone was called there, and its own ns, net where the tree is. The rows have no time.
 * Attributes are the profile's that the tree is of. Owned by the caller.
 */
struct profile *zone_stacks_build(const struct tree *zones);

#endif
