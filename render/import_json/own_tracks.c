#include "import_json/own_tracks.h"

#include "import/scan.h"

/* Cuts @end off. */
static bool cut_end(struct span *name, const char *end)
{
	if (!span_ends(*name, end))
		return false;
	name->n -= strlen(end);
	return true;
}

struct own_track own_track_of(struct span name)
{
	static const char coroutine[] = "coroutine ";
	struct own_track is = {.before = cut_end(&name, "before the timeline")};
	uint64_t number = 0;

	if (is.before && !name.n)
		return is;
	if (is.before)
		(void)cut_end(&name, ", ");
	if (span_is(name, "waits"))
		is.use = TRACK_WAITS;
	else if (span_is(name, "profiler"))
		is.use = TRACK_SAVES;
	else if (span_is(name, "samples"))
		is.use = TRACK_NOTHING;
	else if (span_starts(name, coroutine) &&
		 span_number(span_from(name, sizeof(coroutine) - 1), 10, UINT32_MAX, &number))
		is.coroutine = (uint32_t)number;
	else
		is.unknown = true;
	return is;
}

/* Names of threads may hold colons, those of tracks do not. */
bool own_track_split(struct span name, uint32_t *tid, struct span *track)
{
	const size_t colon = span_find_last(name, ':');
	struct span thread = {name.s, colon};
	uint64_t number = 0;
	size_t space;

	if (colon + 2 > name.n || name.s[colon + 1] != ' ')
		return false;
	space = span_find_last(thread, ' ');
	if (space >= thread.n ||
	    !span_number(span_from(thread, space + 1), 10, UINT32_MAX, &number))
		return false;
	*tid = (uint32_t)number;
	*track = span_from(name, colon + 2);
	return true;
}

enum trace_end own_end_of(struct span text)
{
	return span_is(text, "exception")	    ? TRACE_PASSED
	       : span_is(text, "longjmp")	    ? TRACE_JUMPED
	       : span_is(text, "unknown: not seen") ? TRACE_UNSEEN
						    : TRACE_CUT;
}

void own_wait_begin(struct builder *b, uint32_t thread, uint32_t reason, int64_t from)
{
	const bool known = strcmp(profile_text(b->profile, reason), "off CPU") != 0;

	builder_event(b, from,
		      &(struct timed_event){.thread = thread,
					    .event = EVENT_SWITCH_OUT,
					    .argument = known ? reason : 0});
}

void own_wait_end(struct builder *b, uint32_t thread, int64_t from, int64_t to)
{
	builder_event(b, to,
		      &(struct timed_event){
			      .thread = thread, .event = EVENT_SWITCH_IN, .value1 = to - from});
}

void own_save_begin(struct builder *b, uint32_t thread, int64_t n, int64_t from)
{
	builder_event(
		b, from,
		&(struct timed_event){.thread = thread, .event = EVENT_PROFILER_CALL, .value1 = n});
}

void own_save_end(struct builder *b, uint32_t thread, int64_t to)
{
	builder_event(b, to,
		      &(struct timed_event){.thread = thread, .event = EVENT_PROFILER_RETURN});
}
