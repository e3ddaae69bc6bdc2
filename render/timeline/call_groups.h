/*
 * call_groups: the calls of a timeline added up by function, or by function and arguments. For
 * views.
 *
 * A call is timed if both its begin and its return were recorded. Of others it is not known how
 * long they took, or an exception or a jump cut them short: they are counted, each kind apart, and
 * are in none of the times.
 */
#ifndef TIMELINE_CALL_GROUPS_H
#define TIMELINE_CALL_GROUPS_H

#include "timeline/call_choice.h"

/* Percentiles of a group: of these parts of its timed calls. */
#define CALL_QUANTILES 3
extern const double call_quantiles[CALL_QUANTILES]; /* 0.5, 0.9, 0.99 */

struct call_group {
	uint32_t call; /* place of its first call, which has the function and arguments of all */
	uint64_t calls, timed;
	uint64_t cut, unseen, passed, jumped; /* those that are not timed */
	/* Of the timed ones, in ns: how long at least one of them was open, so of those within one
	 * another the outermost counts; the rest counts each. */
	uint64_t total_ns;
	uint64_t sum_ns, self_ns, max_ns;
	uint64_t at_ns[CALL_QUANTILES]; /* exact, by nearest rank */
};

struct call_groups {
	VEC(struct call_group) at; /* most total first */
};

/* Adds up the calls that are taken: @by_arguments, or all of a function together. */
void call_groups_find(const struct call_choice *, bool by_arguments, struct call_groups *out);
void call_groups_release(struct call_groups *);

/* Adds the figures of @group to those of @sum, but for percentiles and the first call. */
void call_group_add(struct call_group *sum, const struct call_group *group);

/* "n=3, path=\"/etc\"", as call_arguments(); "[not recorded]" of calls whose begin is not there.
 * Freed by the caller. */
char *call_group_arguments(const struct call_choice *, const struct call_group *);
/* Why calls of it are not timed: "2 cut; 1 left by exceptions"; "": all are. Freed by the caller.
 */
char *call_group_untimed(const struct call_group *);

#endif
