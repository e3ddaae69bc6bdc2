#include "timeline/recording.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"

void recording_request(const struct recording *r, struct session_options *out)
{
	vec_push(&out->map_sizes,
		 ((struct session_map_size){"probe_event_slots",
					    (uint32_t)timeline_options_slots(&r->o)}));
}

int recording_begin(struct recording *r, struct session *session)
{
	const uint64_t slots = timeline_options_slots(&r->o),
		       most = r->o.events ? r->o.events : slots;
	const struct wire_event_state state = {.mask = slots - 1, .stop = r->o.stops ? most : 0};
	const uint32_t zero = 0;

	r->session = session;
	r->mask = slots - 1;
	r->slots = session_map_memory(session, "probe_event_slots", &r->bytes);
	if (!r->slots || r->bytes < slots * sizeof(*r->slots))
		return err(-ENOMEM,
			   "no memory for a timeline of %llu events: ask for fewer "
			   "(--events)",
			   (unsigned long long)slots);
	return session_map_set_entries(session, "probe_event_state", &zero, &state, 1);
}

void recording_release(struct recording *r)
{
	if (r->slots)
		munmap((void *)(uintptr_t)r->slots, r->bytes);
	*r = (struct recording){0};
}

struct wire_event_state recording_state(const struct recording *r)
{
	struct map_entries all = {0};
	struct wire_event_state state = {0};

	if (r->session && !session_map_entries(r->session, "probe_event_state", false, &all) &&
	    all.n)
		memcpy(&state, map_entry_value(&all, 0), sizeof(state));
	vec_release(&all.words);
	return state;
}

uint64_t recording_made(const struct recording *r)
{
	return recording_state(r).next;
}

double recording_taken_ns(const struct recording *r)
{
	const struct wire_event_state state = recording_state(r);
	double ns = 0, n = 0;

	for (size_t i = 0; i < WIRE_EVENT_KINDS; i++) {
		ns += (double)state.timed_ns[i];
		n += (double)state.timed[i];
	}
	return n > 0 ? ns / n * (double)state.next : 0;
}

bool recording_get(const struct recording *r, uint64_t place, struct wire_event *out)
{
	const struct wire_event *slot = &r->slots[place & r->mask];
	const volatile uint64_t *serial = &slot->serial;

	if (*serial != place + 1)
		return false;
	atomic_thread_fence(memory_order_acquire);
	*out = *slot;
	atomic_thread_fence(memory_order_acquire);
	return *serial == place + 1;
}

static int in_time(const void *a, const void *b)
{
	const struct wire_event *x = a, *y = b;

	return order_up(x->time_ns, y->time_ns) ?: order_up(x->serial, y->serial);
}

/* Places by which an event may stand too late, for put_in_order(): more than programs that are
 * interrupted at the same time. */
#define MOST_LATE 1024

/* Places are nearly in order of time: CPUs take them one after the other, but a program may be
 * interrupted before it writes its own. False: clocks disagree, and the last event belongs far
 * before. */
static bool put_in_order(recorded_events *out, size_t first)
{
	size_t i = out->n - 1, least = i - first > MOST_LATE ? i - MOST_LATE : first;
	const struct wire_event e = out->at[i];

	for (; i > least && in_time(&e, &out->at[i - 1]) < 0; i--)
		out->at[i] = out->at[i - 1];
	out->at[i] = e;
	return i == first || in_time(&e, &out->at[i - 1]) >= 0;
}

/* The places that are kept of all up to @to. */
static uint64_t first_kept(const struct recording *r, uint64_t to)
{
	const uint64_t most = r->o.events && r->o.events <= r->mask ? r->o.events : r->mask + 1;

	return !r->o.stops && to > most ? to - most : 0;
}

struct recorded recording_read(const struct recording *r, uint64_t from, uint64_t to,
			       uint64_t since_ns, recorded_events *out)
{
	const uint64_t stop = r->o.stops ? (r->o.events ? r->o.events : r->mask + 1) : UINT64_MAX;
	const uint64_t end = to < stop ? to : stop, low = first_kept(r, to);
	const uint64_t begin = from > low ? from : low < end ? low : end;
	const size_t first = out->n;
	struct recorded is = {.older = begin - from, .newer = to - end};
	struct wire_event e;
	bool in_order = true;

	for (uint64_t place = begin; place < end; place++) {
		if (!recording_get(r, place, &e)) {
			is.torn++;
		} else if (e.time_ns < since_ns) {
			is.older++;
		} else {
			vec_push(out, e);
			in_order = in_order && put_in_order(out, first);
			is.kept++;
		}
	}
	if (!in_order)
		qsort(out->at + first, out->n - first, sizeof(*out->at), in_time);
	return is;
}
