#include "capture/slowdown.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "load/counters.h"

struct slowdown {
	struct session *session;
	const struct event *events;
	size_t n;
	double hz;
	struct tick_cost *ticks[WIRE_EVENTS];
	uint64_t *hits; /* scratch: hits of one event, by CPU */
};

struct slowdown *slowdown_new(struct session *session, const struct event *events, size_t n,
			      double hz)
{
	struct slowdown *s = mem_zalloc(1, sizeof(*s));
	const struct tick_program program = session_tick_program(session);

	s->session = session;
	s->events = events;
	s->n = n;
	s->hz = hz;
	s->hits = mem_zalloc((size_t)counters_cpus(), sizeof(*s->hits));
	for (size_t i = 0; i < n; i++)
		s->ticks[i] = tick_cost_new(&events[i], hz, &program, counters_cpus());
	return s;
}

void slowdown_free(struct slowdown *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		tick_cost_free(s->ticks[i]);
	free(s->hits);
	free(s);
}

static void each(struct slowdown *s, void (*round)(struct tick_cost *, const uint64_t *))
{
	for (size_t i = 0; i < s->n; i++)
		if (s->ticks[i] && !session_hits_by_cpu(s->session, i, s->hits))
			round(s->ticks[i], s->hits);
}

void slowdown_tick(struct slowdown *s)
{
	each(s, tick_cost_round);
}

void slowdown_finish(struct slowdown *s)
{
	each(s, tick_cost_last_round);
}

double slowdown_ran_ns(const struct slowdown *s)
{
	double most = 0;
	uint64_t ran_ns;

	if (session_ran(s->session, &ran_ns))
		return (double)ran_ns;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t counters[WIRE_COUNTERS] = {0};

		if (s->events[i].clock && !session_counters(s->session, i, counters))
			most = fmax(most, (double)counters[WIRE_TAKEN] / s->hz * 1e9);
	}
	return most;
}

/* Ticks in the mode that is not sampled (:u, :k) interrupt, too. */
static double interrupts(const struct slowdown *s, size_t event)
{
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(s->session, event, counters))
		return 0;
	return (double)(counters[WIRE_TAKEN] + counters[WIRE_OTHER_MODE]);
}

static void interrupt_row(struct profile *p, const struct event *e, double ns)
{
	_free_ char *name = mem_printf(COST_INTERRUPT "%s", e->name);

	profile_price(p, name, "ns", ns);
}

/* Other programs on these CPUs lose the time of the interrupt alone. */
static void others_row(const struct slowdown *s, struct profile *p)
{
	double lost_ns = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->events[i].clock || event_has_rate(&s->events[i]))
			lost_ns += s->hz * tick_cost_ns(s->ticks[i]);
	if (lost_ns > 0 && session_interrupts_others(s->session))
		profile_cost(p, "slowdown of other programs on these CPUs: interrupts", "%",
			     slowdown_of(&(struct taken){.ns = lost_ns}, 1e9).percent);
}

/* What the sum contains: "interrupts and BPF programs". */
static const char *in_words(bool any, bool all, bool probes)
{
	if (probes)
		return any ? "interrupts, probes and BPF programs" : "probes and BPF programs";
	return !any  ? "BPF programs alone"
	       : all ? "interrupts and BPF programs"
		     : "BPF programs and some interrupts";
}

/* A tracepoint or a page fault takes more than its program does, which nobody measures. */
static void add_event(const struct slowdown *s, size_t i, struct taken *sum)
{
	const double run_ns = (double)session_event_ns(s->session, i);

	TAKEN_TIMED(sum, tick_cost_ns(s->ticks[i]) * interrupts(s, i));
	if (event_is_timed(&s->events[i]))
		TAKEN_RUN(sum, run_ns);
	else
		taken_add(sum, run_ns, 0.9, 2.5);
}

void slowdown_events(const struct slowdown *s, struct taken *sum)
{
	for (size_t i = 0; i < s->n; i++)
		add_event(s, i, sum);
}

void slowdown_rows(const struct slowdown *s, struct profile *p, double ran_ns,
		   const struct taken *sources, bool probes)
{
	bool any = false, all = true;
	struct taken sum = *sources;

	if (ran_ns <= 0)
		return;
	slowdown_events(s, &sum);
	for (size_t i = 0; i < s->n; i++) {
		double tick_ns = tick_cost_ns(s->ticks[i]);

		any |= tick_ns > 0;
		all &= tick_ns > 0 || !event_is_timed(&s->events[i]);
		if (tick_ns > 0)
			interrupt_row(p, &s->events[i], tick_ns);
	}
	profile_add_taken(p, in_words(any, all, probes), &sum, ran_ns);
	others_row(s, p);
}
