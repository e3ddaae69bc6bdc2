#include "stack/own_frames.h"

#include <string.h>

#include "base/str.h"

/* Where the tracepoint's call of the program begins, from the inside out: bpf_trace_run1, which
 * programs return to, then what depends on how the kernel was built. */
#define CALLER "bpf_trace_run"
static const char *const on_the_way[] = {"__bpf_trace_", "__traceiter_"};

/* How the kernel leaves the CPU, whoever waits for what, and how it wakes whomever: the function
 * that calls these says more. */
static const char *const switching[] = {"__schedule", "schedule", "try_to_wake_up"};

/* The function that a probe called the program from; nothing calls it but to end a switch. */
#define PROBED "finish_task_switch"

/* Our program is a few functions at most. */
#define MOST_FRAMES 12

const char *own_frames_name(const struct profile *p, const struct named *named, uint32_t place)
{
	const uint32_t k = named->first.at[place];

	if (k == named->first.at[place + 1])
		return "";
	return profile_text(p, p->functions.at[p->frames.at[named->frame.at[k]].function].name);
}

static bool is_on_the_way(const char *name)
{
	for (size_t i = 0; i < sizeof(on_the_way) / sizeof(*on_the_way); i++)
		if (str_starts(name, on_the_way[i]))
			return true;
	return false;
}

static bool is_switching(const char *name)
{
	for (size_t i = 0; i < sizeof(switching) / sizeof(*switching); i++)
		if (!strcmp(name, switching[i]))
			return true;
	return false;
}

/* How many of the innermost frames are our program's. */
static uint32_t of_the_program(const struct profile *p, const struct named *named,
			       const uint32_t *places, uint32_t n)
{
	uint32_t i = 0;

	if (n && str_starts(own_frames_name(p, named, places[0]), PROBED))
		return 1;
	while (i < n && i < MOST_FRAMES &&
	       !str_starts(own_frames_name(p, named, places[i]), CALLER))
		i++;
	if (i == n || i == MOST_FRAMES)
		return 0;
	i++;
	while (i < n && is_on_the_way(own_frames_name(p, named, places[i])))
		i++;
	return i;
}

uint32_t own_frames(const struct profile *p, const struct named *named, const uint32_t *places,
		    uint32_t n)
{
	uint32_t i = of_the_program(p, named, places, n);

	while (i + 1 < n && is_switching(own_frames_name(p, named, places[i])))
		i++;
	return i;
}
