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

#include "base/intern.h"
#include "timeline/call_walk.h"

/* Percentiles of a group: of these parts of its timed calls. */
#define CALL_QUANTILES 3
extern const double call_quantiles[CALL_QUANTILES]; /* 0.5, 0.9, 0.99 */

struct call_group {
	uint32_t function;
	uint32_t known, arguments;	   /* enum known_arguments; by that a text, or a number */
	uint32_t thread, coroutine, place; /* of its first call, as struct walked_call */
	uint64_t calls, timed;
	uint64_t cut, unseen, passed, jumped; /* those that are not timed */
	/* Of the timed ones, in ns: how long at least one of them was open, so of those within one
	 * another the outermost counts; the rest counts each. */
	uint64_t total_ns;
	uint64_t sum_ns, self_ns, max_ns;
	uint64_t at_ns[CALL_QUANTILES]; /* exact, by nearest rank */
};

/* What a group's calls have in common besides the function. */
enum known_arguments { KNOWN_NONE, KNOWN_TEXT, KNOWN_NUMBERS, KNOWN_NOT };

struct call_groups {
	VEC(struct call_group) at; /* most total first */
	uint64_t calls, taken;
	struct intern numbers; /* arguments that have no text in the profile */
};

/* Adds up the calls that are taken: @by_arguments, or all of a function together. By walks of the
 * choice, whose errors it returns; to be released in either case.
 *
 * Percentiles need no list of all lengths: a first walk finds in which bin of a histogram each is,
 * a second one how often the lengths in these bins are. */
int call_groups_find(struct call_choice *, bool by_arguments, struct call_groups *out);
void call_groups_release(struct call_groups *);

/* Adds the figures of @group to those of @sum, but for percentiles and the first call. */
void call_group_add(struct call_group *sum, const struct call_group *group);

/* "n=3, path=\"/etc\"", as call_arguments(); "[not recorded]" of calls whose begin is not there.
 * Freed by the caller. */
char *call_group_arguments(const struct call_groups *, const struct profile *,
			   const struct call_group *);
/* Why calls of it are not timed: "2 cut; 1 left by exceptions"; "": all are. Freed by the caller.
 */
char *call_group_untimed(const struct call_group *);

#endif
