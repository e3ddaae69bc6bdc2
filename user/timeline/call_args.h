/*
 * call_args: which arguments --args asks for of each probed function, as the user or its debug
 * information says; tells the programs. For the actions event and stack.
 */
#ifndef TIMELINE_CALL_ARGS_H
#define TIMELINE_CALL_ARGS_H

#include "base/vec.h"
#include "function/zonepattern.h"
#include "probe/engine.h"
#include "timeline/timeline_options.h"

struct session_options;

struct call_args {
	struct engine *engine; /* borrowed, as are the options */
	const struct timeline_options *o;
	struct zonepatterns *of[TIMELINE_ARGS];
	VEC(const struct signature *) is; /* by number of the function; NULL: none; borrowed */
};

/* @o: NULL for none. */
void call_args_init(struct call_args *, struct engine *, const struct timeline_options *o);
void call_args_release(struct call_args *);
/* Before the session is opened. */
void call_args_request(const struct call_args *, struct session_options *out);
/* A function that will have probes. Says it if --args asks for its arguments in vain, unless
 * @quiet: another action does. */
void call_args_found(struct call_args *, uint32_t number, const struct zone_def *, bool quiet);
/* NULL: none are asked for, or known. */
static inline const struct signature *call_args_of(const struct call_args *c, uint32_t number)
{
	return number < c->is.n ? c->is.at[number] : NULL;
}

#endif
