/*
 * The backend without privileges: perf events of the user's own processes, in user mode, each with
 * a copy of the stack, which user space walks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "load/backend.h"
#include "load/plain_events.h"
#include "perf/plain_sample.h"
#include "perf/rights.h"

/* Searches for threads born while their siblings' events were opened: few find any. */
#define MOST_ROUNDS 16

struct plain_session {
	struct session_options o;
	struct plain_events events;
	struct sideband *sideband;
	uint64_t counters[WIRE_EVENTS][WIRE_COUNTERS];
	uint64_t throttled;
	uint64_t start_ns;	   /* samples count from then on; UINT64_MAX: not yet */
	uint64_t base_ns, last_ns; /* the clock at the start, and when last read */
	bool stopped;
	uint8_t *scratch; /* room for one record */
	struct plain_slice *slice;
	/* Of the current drain; NULL: samples are dropped. */
	ring_record_fn fn;
	void *context;
};

/* An error with a text if the options need privileges. */
static int check(const struct session_options *o)
{
	const char *what = o->probes			      ? "zones"
			   : o->target->kind == TARGET_ALL    ? "the whole machine"
			   : o->target->kind == TARGET_CGROUP ? "cgroups"
			   : o->sampler == SAMPLER_CPU	      ? "by CPU (--sampler cpu)"
							      : NULL;

	for (size_t i = 0; i < o->n_events && !what; i++)
		if (!event_is_timed(&o->events[i]) || o->events[i].exclude_user)
			what = o->events[i].name;
	return what ? err(-EPERM,
			  "no permission to capture %s: without root eprof samples only your own "
			  "processes, by clocks or cycles; " RIGHTS_HOW,
			  what)
		    : 0;
}

static void plain_close(void *state)
{
	struct plain_session *s = state;

	plain_events_release(&s->events);
	sideband_close(s->sideband);
	free(s->scratch);
	free(s->slice);
	free(s);
}

static int plain_open(const struct session_options *o, void **out)
{
	const struct plain_options events = {o->events, o->n_events, o->hz, o->target};
	struct plain_session *s;
	int ret = check(o);

	if (ret)
		return ret;
	s = mem_zalloc(1, sizeof(*s));
	s->o = *o;
	s->start_ns = UINT64_MAX;
	s->sideband = sideband_new();
	s->scratch = mem_zalloc(1, PERF_RING_RECORD);
	s->slice = mem_zalloc(1, sizeof(*s->slice));
	ret = plain_events_init(&s->events, &events);
	if (ret) {
		plain_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static struct sideband *plain_sideband(void *state)
{
	struct plain_session *s = state;

	return s->sideband;
}

static void take_sample(struct plain_session *s, const struct perf_event_header *h)
{
	struct wire_sample *sample = &s->slice->head.sample;
	uint64_t id;
	size_t bytes = plain_sample_decode(h, s->slice, &id);
	size_t event = bytes ? plain_events_of(&s->events, id) : SIZE_MAX;

	if (event == SIZE_MAX || sample->time_ns < s->start_ns || !s->fn)
		return;
	sample->event = (uint32_t)event;
	s->counters[event][WIRE_TAKEN]++;
	s->counters[event][WIRE_KEPT]++;
	s->fn(s->context, s->slice, bytes);
}

/* Lost records of the ring. Few are not samples, so all count as samples. */
static void take_lost(struct plain_session *s, uint64_t lost, uint64_t id)
{
	size_t event = plain_events_of(&s->events, id);

	sideband_lose(s->sideband, lost);
	if (s->start_ns == UINT64_MAX)
		return;
	event = event == SIZE_MAX ? 0 : event;
	s->counters[event][WIRE_TAKEN] += lost;
	s->counters[event][WIRE_LOST_RING] += lost;
}

static void take_side(struct plain_session *s, const struct perf_event_header *h)
{
	struct side_record r;

	if (!side_decode(h, SIDE_TRAILER_ID, &r))
		return;
	if (r.kind == SIDE_FORK)
		plain_events_inherited(&s->events, r.tid);
	sideband_feed(s->sideband, &r);
}

static void take(void *context, const struct perf_event_header *h)
{
	struct plain_session *s = context;
	uint64_t id = 0, lost = side_lost(h, &id);

	if (lost)
		take_lost(s, lost, id);
	else if (h->type == PERF_RECORD_SAMPLE)
		take_sample(s, h);
	else if (h->type == PERF_RECORD_THROTTLE)
		s->throttled++;
	else
		take_side(s, h);
}

static int plain_drain(void *state, uint64_t most_bytes, ring_record_fn fn, void *context)
{
	struct plain_session *s = state;
	uint64_t left = most_bytes;

	s->fn = fn;
	s->context = context;
	for (size_t i = 0; i < s->events.rings.n; i++) {
		uint64_t n = perf_ring_drain(&s->events.rings.at[i], left, s->scratch, take, s);

		left -= n < left ? n : left;
	}
	return 0;
}

/* Repeats until every thread has events or inherited them, which the record of its birth tells. */
static int plain_add(void *state, uint32_t pid)
{
	struct plain_session *s = state;
	int opened = 1;

	for (int round = 0; round < MOST_ROUNDS && opened > 0; round++) {
		opened = plain_events_open(&s->events, pid);
		plain_drain(s, UINT64_MAX, NULL, NULL);
	}
	return opened == -ESRCH || opened > 0 ? 0 : opened;
}

static int plain_attach(void *state)
{
	struct plain_session *s = state;
	const struct target *t = s->o.target;
	int ret = 0;

	for (size_t i = 0; i < t->pids.n && ret >= 0; i++) {
		ret = plain_events_open(&s->events, t->pids.at[i]);
		if (ret > 0)
			ret = plain_add(s, t->pids.at[i]);
		if (ret == -ESRCH && t->kind == TARGET_PIDS && i >= t->n_named)
			ret = 0;
	}
	return ret < 0 ? ret : 0;
}

static void plain_drained(void *state)
{
	struct plain_session *s = state;

	perf_rings_release(&s->events.rings);
}

static int plain_watch(void *state, int epoll_fd)
{
	struct plain_session *s = state;

	for (size_t i = 0; i < s->events.rings.n; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.fd = s->events.rings.at[i].fd};

		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, e.data.fd, &e))
			return err(-errno, "epoll: %s", strerror(errno));
	}
	return 0;
}

/* The first clock event; SIZE_MAX: none. */
static size_t clock_of(const struct plain_session *s)
{
	for (size_t i = 0; i < s->o.n_events; i++)
		if (s->o.events[i].clock)
			return i;
	return SIZE_MAX;
}

/* A clock counts all CPU time, in the kernel, too. */
static bool plain_ran(void *state, uint64_t *ns)
{
	struct plain_session *s = state;
	size_t clock = clock_of(s);

	if (clock == SIZE_MAX)
		return false;
	if (!s->stopped)
		s->last_ns = plain_events_count(&s->events, clock);
	*ns = s->last_ns - s->base_ns;
	return true;
}

static int plain_start(void *state)
{
	struct plain_session *s = state;
	uint64_t before;

	s->start_ns = clock_ns(CLOCK_MONOTONIC);
	(void)plain_ran(s, &before);
	s->base_ns = s->last_ns;
	return 0;
}

static void plain_stop(void *state)
{
	struct plain_session *s = state;
	uint64_t ns;

	plain_events_stop(&s->events);
	(void)plain_ran(s, &ns);
	s->stopped = true;
}

static int plain_counters(void *state, size_t event, uint64_t out[WIRE_COUNTERS])
{
	const struct plain_session *s = state;

	memcpy(out, s->counters[event], sizeof(s->counters[event]));
	return 0;
}

static void plain_cost(void *state, struct session_cost *out)
{
	const struct plain_session *s = state;

	*out = (struct session_cost){.map_bytes = s->events.ring_bytes};
}

static uint64_t plain_throttled(const void *state)
{
	const struct plain_session *s = state;

	return s->throttled;
}

const struct backend plain_backend = {
	.open = plain_open,
	.close = plain_close,
	.sideband = plain_sideband,
	.attach = plain_attach,
	.add = plain_add,
	.drain = plain_drain,
	.drained = plain_drained,
	.watch = plain_watch,
	.start = plain_start,
	.stop = plain_stop,
	.counters = plain_counters,
	.ran = plain_ran,
	.cost = plain_cost,
	.throttled = plain_throttled,
};
