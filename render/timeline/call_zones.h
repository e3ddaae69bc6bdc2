/*
 * call_zones: the zones of a profile that has a timeline alone: what its calls add up to by
 * function, as a capture of zones would have it. For comparisons.
 */
#ifndef TIMELINE_CALL_ZONES_H
#define TIMELINE_CALL_ZONES_H

struct profile;

/* Adds PART_ZONES, if the profile has a timeline and no zones. Calls that an exception or a jump
 * left, or whose end nobody saw, are counted and not timed; those whose begin or end is not there
 * are counted apart. */
void call_zones_add(struct profile *);

#endif
