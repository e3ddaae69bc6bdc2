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

/* A program that had 1 s of each 1.25 s for itself is slowed down by 25 %. */
static double percent(double lost_ns, double ran_ns)
{
	/* Near 100 % the result would be nothing but the error of the measurement: SLOWDOWN_MOST.
	 */
	lost_ns = fmin(lost_ns, SLOWDOWN_MOST / (100 + SLOWDOWN_MOST) * ran_ns);
	return 100 * lost_ns / (ran_ns - lost_ns);
}

/* Other programs on these CPUs lose the time of the interrupt alone. */
static void others_row(const struct slowdown *s, struct profile *p)
{
	double lost_ns = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->events[i].clock || event_has_rate(&s->events[i]))
			lost_ns += s->hz * tick_cost_ns(s->ticks[i]);
	if (lost_ns > 0 && session_interrupts_others(s->session))
		profile_cost(p, "slowdown of all else on these CPUs: interrupts", "%",
			     percent(lost_ns, 1e9));
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

void slowdown_rows(const struct slowdown *s, struct profile *p, double ran_ns, double programs_ns,
		   double probes_ns)
{
	bool any = false, all = true;
	double lost_ns = programs_ns + probes_ns;
	_free_ char *name = NULL;

	if (ran_ns <= 0)
		return;
	for (size_t i = 0; i < s->n; i++) {
		double tick_ns = tick_cost_ns(s->ticks[i]);

		lost_ns += (double)session_event_ns(s->session, i) + tick_ns * interrupts(s, i);
		any |= tick_ns > 0;
		all &= tick_ns > 0 || !event_is_timed(&s->events[i]);
		if (tick_ns > 0)
			interrupt_row(p, &s->events[i], tick_ns);
	}
	if (probes_ns > 0)
		profile_cost(p, "probes of sampled calls, without their programs", "ns", probes_ns);
	name = mem_printf(COST_SLOWDOWN "%s", in_words(any, all, probes_ns > 0));
	profile_cost(p, name, "%", percent(lost_ns, ran_ns));
	others_row(s, p);
}
