#include "cmd/record_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "perf/rights.h"
#include "perf/tracepoints.h"

int record_add_event(struct event *events, size_t *n, const char *name)
{
	int ret = event_parse(name, &events[*n]);

	if (!ret && !rights_to_bpf())
		event_user_only(&events[*n]);
	for (size_t i = 0; i < *n && !ret; i++) {
		if (event_same(&events[i], &events[*n]))
			ret = err(-EINVAL, "'%s' and '%s' are the same event: name it once",
				  events[i].name, name);
	}
	*n += !ret;
	return ret;
}

static int take_event(struct event *events, size_t *n, const char *name)
{
	if (*n == WIRE_EVENTS)
		return err(-E2BIG, "at most %d events can be captured together", WIRE_EVENTS);
	return record_add_event(events, n, name);
}

/* "sched:sched_*": each tracepoint that matches is an event, with a metric of its own. */
static int take_glob(struct event *events, size_t *n, const char *glob)
{
	tracepoint_names names = {0};
	int ret = tracepoints_find(glob, &names);

	if (!ret && names.n > WIRE_EVENTS - *n)
		ret = err(-E2BIG,
			  "'%s' matches %zu tracepoints, '%s' to '%s': at most %d events can be "
			  "captured together",
			  glob, names.n, names.at[0], names.at[names.n - 1], WIRE_EVENTS);
	for (size_t i = 0; !ret && i < names.n; i++)
		ret = take_event(events, n, names.at[i]);
	tracepoints_release(&names);
	return ret;
}

int record_take_events(struct event *events, size_t *n, const char *list)
{
	_free_ char *copy = mem_strdup(list);
	const size_t before = *n;
	char *rest = copy;

	for (char *name = event_next(&rest); name; name = event_next(&rest)) {
		int ret = tracepoints_is_glob(name) ? take_glob(events, n, name)
						    : take_event(events, n, name);

		if (ret)
			return ret;
	}
	return *n > before ? 0 : err(-EINVAL, "-e '%s' names no event", list);
}
