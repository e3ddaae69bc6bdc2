#include "model/timed_event.h"

#include <errno.h>

#include "base/err.h"
#include "model/profile.h"

static const struct {
	uint32_t kind;
	const char *name;
} names[] = {
	{EVENT_CALL, "call"},
	{EVENT_RETURN, "return"},
	{EVENT_C_CALL, "c_call"},
	{EVENT_C_RETURN, "c_return"},
	{EVENT_EXCEPTION, "exception"},
	{EVENT_C_EXCEPTION, "c_exception"},
	{EVENT_PROFILER_CALL, "profiler_call"},
	{EVENT_PROFILER_RETURN, "profiler_return"},
	{EVENT_PROFILER_START, "profiler_start"},
	{EVENT_PROFILER_SORT, "profiler_sort"},
	{EVENT_SWITCH_OUT, "switch_out"},
	{EVENT_SWITCH_IN, "switch_in"},
	{EVENT_WAKEUP, "wakeup"},
	{EVENT_TRIGGER, "trigger"},
	{EVENT_LOST, "lost"},
	{EVENT_MALLOC, "malloc"},
	{EVENT_CALLOC, "calloc"},
	{EVENT_REALLOC, "realloc"},
	{EVENT_FREE, "free"},
	{EVENT_REALLOC_FREE, "realloc_free"},
};

const char *timed_event_name(uint32_t kind)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return "event";
}

bool timed_event_begins(const struct timed_event *e)
{
	return e->event == EVENT_CALL || e->event == EVENT_C_CALL;
}

bool timed_event_ends(const struct timed_event *e)
{
	if (e->event == EVENT_EXCEPTION || e->event == EVENT_C_EXCEPTION)
		return e->value1 == EVENT_PASSED || e->value1 == EVENT_JUMPED ||
		       e->value1 == EVENT_UNSEEN;
	return e->event == EVENT_RETURN || e->event == EVENT_C_RETURN;
}

/* Numbers that mean something by themselves are 64 bits wide in the file, and plain, for other
 * programs: numpy reads a table of them as it is. */
static const struct column events_columns[] = {
	TABLE_COLUMN(timed_event, frame, U32, .wide = true, .refers = TABLE_frames),
	TABLE_COLUMN(timed_event, argument, TEXT, .wide = true),
	TABLE_COLUMN(timed_event, event, U32, .wide = true),
	TABLE_COLUMN(timed_event, time_ns, U64, .wide = true, .time = true),
	TABLE_COLUMN(timed_event, value1, I64, .any = true),
	TABLE_COLUMN(timed_event, value2, I64, .any = true),
	TABLE_COLUMN(timed_event, thread, U32, .wide = true, .refers = TABLE_threads),
	TABLE_COLUMN(timed_event, coroutine, U32, .wide = true),
};

int timed_events_check(const struct timed_event *at, size_t n, size_t first, uint64_t before_ns)
{
	for (size_t i = 0; i < n; before_ns = at[i++].time_ns)
		if (at[i].time_ns < before_ns)
			return err(-EINVAL, "events, row %zu: earlier than the row before",
				   first + i);
	return 0;
}

static int check_order(const struct profile *p)
{
	return timed_events_check(p->events.at, p->events.n, 0, 0);
}

const struct table events_table = {
	.name = "events",
	TABLE_OF(timed_event, events_columns),
	.part = PART_EVENTS,
	.rows = ROWS_EVENTS,
	.check = check_order,
};
