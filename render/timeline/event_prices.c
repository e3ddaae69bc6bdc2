#include "timeline/event_prices.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/profile.h"
#include "timeline/timed_calls.h"

/* Rows of the cost, as the capture calls them (user/timeline/timeline_ledger.c). */
static const struct {
	const char *name;
	uint32_t kinds[2];
} rows[] = {
	{"timeline: recording a call", {EVENT_CALL, EVENT_C_CALL}},
	{"timeline: recording a return", {EVENT_RETURN, EVENT_C_RETURN}},
	{"timeline: recording the end of a call that does not return",
	 {EVENT_EXCEPTION, EVENT_C_EXCEPTION}},
	{"timeline: recording that a thread leaves a CPU", {EVENT_SWITCH_OUT}},
	{"timeline: recording that a thread comes to a CPU", {EVENT_SWITCH_IN}},
	{"timeline: recording a wake-up", {EVENT_WAKEUP}},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static uint64_t function_key(const struct profile *p, const struct function *f)
{
	const char *name = profile_text(p, f->name),
		   *module = profile_text(p, p->modules.at[f->module].path);

	return hash_two(hash_bytes(name, strlen(name)), hash_bytes(module, strlen(module)));
}

/* --- probes ----------------------------------------------------------------------------------- */

/* What the compensation of zones took from self times as the calls' own, per zone: all that it took
 * at each place of the tree of calls, less what was of the calls right below. */
static double *inner_sums(const struct profile *p)
{
	double *inner = mem_zalloc(p->zones.n + 1, sizeof(*inner));
	_free_ double *below = mem_zalloc(p->zone_edges.n + 1, sizeof(*below));

	for (size_t i = p->zone_edges.n; i-- > 1;) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		const struct zone *z = &p->zones.at[e->zone];
		const double all =
			z->counts ? (double)z->probe_ns * (double)e->counts / (double)z->counts : 0;
		double own = (double)(e->self_ns - e->comp_self_ns) - below[i];

		own = own < 0 ? 0 : own > all ? all : own;
		inner[e->zone] += own;
		if (e->parent < i)
			below[e->parent] += all - own;
	}
	return inner;
}

/* Functions are known by their names: a part has numbers of its own. */
static struct probes_price *find_probes(const struct profile *p, const struct profile *part)
{
	struct probes_price *out = mem_zalloc(part->frames.n + 1, sizeof(*out));
	_free_ double *inner = inner_sums(p);
	struct map by_function = {0};
	bool fresh;

	for (uint32_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];

		if (z->counts && z->function && z->flags & ZONE_COMPENSATED)
			*map_put(&by_function, function_key(p, &p->functions.at[z->function]),
				 &fresh) = i;
	}
	for (size_t i = 1; i < part->frames.n; i++) {
		const struct function *f = &part->functions.at[part->frames.at[i].function];
		const uint32_t *at = map_get(&by_function, function_key(part, f));
		const double n = at ? (double)p->zones.at[*at].counts : 0;

		if (at)
			out[i] = (struct probes_price){inner[*at] / n,
						       (double)p->zones.at[*at].probe_ns / n};
	}
	map_release(&by_function);
	return out;
}

/* --- prices ----------------------------------------------------------------------------------- */

int event_prices_find(const struct profile *p, const struct profile *part, struct event_prices *out)
{
	double *recording = out->recording, any = 0;

	*out = (struct event_prices){
		.part = part,
		.hit = profile_cost_of(p, "timeline: recording a free, a throw or a catch")};
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < 2 && rows[i].kinds[k]; k++)
			any += recording[rows[i].kinds[k]] = profile_cost_of(p, rows[i].name);
	/* One event in some is timed: of few there may be none of a kind. */
	for (uint32_t kind = EVENT_CALL; kind <= EVENT_C_CALL; kind += EVENT_C_CALL - EVENT_CALL)
		if (!(recording[kind] > 0))
			recording[kind] = recording[kind + 1];
		else if (!(recording[kind + 1] > 0))
			recording[kind + 1] = recording[kind];
	out->probes = find_probes(p, part);
	if (!(any > 0))
		return err(-ENOENT, "--net: the profile has no prices of what recording a timeline "
				    "costs: only those that eprof captured have");
	return 0;
}

void event_prices_release(struct event_prices *prices)
{
	free(prices->probes);
}

double event_price(const struct event_prices *prices, const struct timed_event *e)
{
	const struct probes_price *probes = &prices->probes[e->frame];

	if (e->event == EVENT_TRIGGER || e->event == EVENT_LOST ||
	    (e->event >= EVENT_PROFILER_CALL && e->event <= EVENT_PROFILER_SORT))
		return 0;
	if (timed_event_begins(e))
		return prices->recording[e->event] + probes->inner;
	if (timed_event_ends(e))
		return prices->recording[e->event] + probes->outer - probes->inner;
	return e->event >= EVENT_SWITCH_OUT && e->event <= EVENT_WAKEUP
		       ? prices->recording[e->event]
		       : prices->hit;
}

/* --- net times -------------------------------------------------------------------------------- */

/* Open calls that the end of one is sought among: the programs keep no more. */
#define OPEN_MOST 256

struct open_call {
	uint32_t frame;
	uint64_t start_ns;
};

/* A thread, whatever it is called. */
struct spending {
	double ns;		    /* that its events so far cost */
	uint64_t last_ns;	    /* the net time of the last one */
	VEC(struct open_call) open; /* on its own stack */
};

/* The begin of the call that returns, by its events; UINT64_MAX: it is not known. */
static uint64_t close_call(struct spending *s, uint32_t frame)
{
	for (size_t i = s->open.n; i > 0 && s->open.n - i < OPEN_MOST; i--)
		if (s->open.at[i - 1].frame == frame) {
			s->open.n = i - 1;
			return s->open.at[i - 1].start_ns;
		}
	return UINT64_MAX;
}

/* What of the price of a call's end lies before that: what the events are farther apart than the
 * call took, and its begin's price does not have. A coroutine's calls take no time while it does
 * not run, so that of them it is not known. */
static double price_before(const struct event_prices *prices, struct spending *s,
			   const struct timed_event *e, double price)
{
	const bool returns = e->event == EVENT_RETURN || e->event == EVENT_C_RETURN;
	const uint64_t start_ns = e->coroutine ? UINT64_MAX : close_call(s, e->frame);
	double apart;

	if (!returns || start_ns > e->time_ns || e->value1 <= 0)
		return 0;
	apart = (double)(e->time_ns - start_ns) - (double)e->value1 -
		prices->recording[e->event - 1];
	return apart < 0 ? 0 : apart < price ? apart : price;
}

static uint64_t spend(const struct event_prices *prices, struct spending *s,
		      const struct timed_event *e)
{
	const double price = event_price(prices, e);
	const double before = timed_event_ends(e) ? price_before(prices, s, e, price) : 0;
	const double net = (double)e->time_ns - s->ns - before;

	if (timed_event_begins(e) && !e->coroutine)
		vec_push(&s->open, ((struct open_call){e->frame, e->time_ns}));
	s->last_ns = net > (double)s->last_ns ? (uint64_t)net : s->last_ns;
	s->ns += price;
	return s->last_ns;
}

static double dearest_of(const struct event_prices *prices)
{
	double recording = prices->hit, probes = 0;

	for (size_t i = 0; i <= EVENT_WAKEUP; i++)
		recording = fmax(recording, prices->recording[i]);
	for (size_t i = 0; i < prices->part->frames.n; i++)
		probes = fmax(probes, fmax(prices->probes[i].inner, prices->probes[i].outer));
	return recording + probes;
}

void net_clock_init(struct net_clock *c, const struct event_prices *prices)
{
	const struct profile *p = prices->part;

	*c = (struct net_clock){.prices = prices,
				.first = threads_first(p, NULL),
				.of = mem_zalloc(p->threads.n + 1, sizeof(*c->of)),
				.dearest_ns = dearest_of(prices)};
	c->behind_ns = c->dearest_ns;
}

uint64_t net_clock_time(struct net_clock *c, const struct timed_event *e)
{
	struct spending *of = &c->of[c->first[e->thread]];
	const uint64_t net = spend(c->prices, of, e);

	/* The events to come of a thread are not before this one's net time, and of the next one
	 * no more than its own price is taken, too. */
	c->behind_ns = fmax(c->behind_ns, of->ns + c->dearest_ns);
	return net;
}

void net_clock_release(struct net_clock *c)
{
	for (size_t i = 0; c->of && i < c->prices->part->threads.n; i++)
		vec_release(&c->of[i].open);
	free(c->of);
	free(c->first);
}
