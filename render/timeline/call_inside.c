#include "timeline/call_inside.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/profile.h"
#include "model/reason.h"
#include "model/timed_event.h"

#define PARTS_NAMED 3
#define SHARE_LEAST 0.005

struct finding {
	const struct call_choice *c;
	struct inside *out;
	size_t n;
	struct map by_call;   /* lane and place of a call → its place in out */
	struct map by_part;   /* hash of call, kind and what → place in its list */
	struct map by_thread; /* thread → first place in next, + 1 */
	uint32_t *next;	      /* of each of out the next of the same thread, + 1; 0: none */
	uint32_t *why;	      /* per thread: of its last switch */
	bool switches;	      /* the profile has them, whose times are exact */
};

enum part_kind { IN_CALLS, IN_WAITS, IN_SAMPLES };

/* --- adding up -------------------------------------------------------------------------------- */

static void add(struct finding *f, uint32_t i, enum part_kind kind, uint32_t what, uint64_t ns)
{
	struct inside *in = &f->out[i];
	inside_parts *list = kind == IN_CALLS	? &in->calls
			     : kind == IN_WAITS ? &in->waits
						: &in->samples;
	const uint64_t key = hash_two(hash_two(i, kind), what);
	const uint32_t at = map_number(&f->by_part, key, list->n);

	if (at == list->n)
		vec_push(list, ((struct inside_part){.what = what}));
	list->at[at].n++;
	list->at[at].ns += ns;
}

static uint64_t key_of(const struct walked_call *c)
{
	return hash_two(c->call.lane, c->place);
}

static void begin_call(void *data, struct call_walk *w, struct walked_call *c)
{
	const struct finding *f = data;
	const uint32_t *i = map_get(&f->by_call, key_of(c));

	(void)w;
	c->mark = i ? *i + 1 : 0;
}

static void end_call(void *data, struct call_walk *w, struct walked_call *c)
{
	const struct walked_call *around = call_walk_around(w, c);
	struct finding *f = data;

	if (!around || !around->mark)
		return;
	add(f, around->mark - 1, IN_CALLS, f->c->profile->frames.at[c->call.frame].function,
	    call_ns(&c->call));
	f->out[around->mark - 1].calls_ns += call_ns(&c->call);
}

/* The calls of a thread that is waiting or running, by its own stack; of coroutines only what is
 * known to be theirs. */
static uint32_t first_of(const struct finding *f, uint32_t thread)
{
	const uint32_t *first = map_get(&f->by_thread, thread);

	return first ? *first : 0;
}

static bool is_of(const struct finding *f, uint32_t i, uint32_t coroutine)
{
	const uint32_t own = f->out[i].call->coroutine;

	return !own || own == coroutine;
}

/* Times are those of events, as waits and samples have them: the call itself may have net times. */
static void add_wait(struct finding *f, uint32_t thread, uint32_t coroutine, uint64_t end_ns,
		     uint64_t ns, uint32_t why, bool sampled)
{
	const uint64_t start_ns = end_ns > ns ? end_ns - ns : 0;

	for (uint32_t i = first_of(f, thread); i; i = f->next[i - 1]) {
		const struct walked_call *call = f->out[i - 1].call;
		const uint64_t from = call->begin_ns > start_ns ? call->begin_ns : start_ns;
		const uint64_t to = call->end_ns < end_ns ? call->end_ns : end_ns;

		if (from >= to || !is_of(f, i - 1, coroutine))
			continue;
		add(f, i - 1, IN_WAITS, why, to - from);
		f->out[i - 1].waits_ns += to - from;
		f->out[i - 1].sampled_waits = sampled;
	}
}

static void add_switch(void *data, const struct timed_event *e)
{
	struct finding *f = data;

	if (e->event == EVENT_SWITCH_OUT)
		f->why[e->thread] = e->argument;
	if (e->event != EVENT_SWITCH_IN || e->value1 <= 0)
		return;
	f->switches = true;
	add_wait(f, e->thread, e->coroutine, e->time_ns, (uint64_t)e->value1, f->why[e->thread],
		 false);
}

/* What it waited for, or the system call in which it did; else the kind, as a number that no text
 * has. */
static uint32_t reason_of(const struct reason *r)
{
	return r->object ? r->object : r->call ? r->call : UINT32_MAX - r->kind;
}

static const char *why_text(const struct profile *p, uint32_t why)
{
	return why > UINT32_MAX - REASON_KINDS ? reason_kind_name(UINT32_MAX - why)
					       : profile_text(p, why);
}

static void add_samples(struct finding *f, bool waits)
{
	const struct profile *p = f->c->profile;

	vec_each (s, &p->samples) {
		if (s->reason || s->wait_ns) {
			if (waits)
				add_wait(f, s->thread, 0, s->time_ns, s->wait_ns,
					 reason_of(&p->reasons.at[s->reason]), true);
			continue;
		}
		for (uint32_t i = first_of(f, s->thread); i; i = f->next[i - 1]) {
			const struct walked_call *call = f->out[i - 1].call;

			if (s->time_ns < call->begin_ns || s->time_ns >= call->end_ns ||
			    !is_of(f, i - 1, 0))
				continue;
			add(f, i - 1, IN_SAMPLES, p->frames.at[p->nodes.at[s->node].frame].function,
			    0);
			f->out[i - 1].samples_n++;
		}
	}
}

/* --- all together ----------------------------------------------------------------------------- */

static int most_first(const void *a, const void *b)
{
	const struct inside_part *x = a, *y = b;

	return order_down(x->ns, y->ns) ?: order_down(x->n, y->n) ?: order_up(x->what, y->what);
}

static void begin(struct finding *f, const struct walked_call *const *calls)
{
	bool fresh;

	f->next = mem_zalloc(f->n + 1, sizeof(*f->next));
	f->why = mem_zalloc(f->c->profile->threads.n + 1, sizeof(*f->why));
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t *first = map_put(&f->by_thread, calls[i]->thread, &fresh);

		f->out[i] = (struct inside){.call = calls[i]};
		*map_put(&f->by_call, key_of(calls[i]), &fresh) = i;
		f->next[i] = *first;
		*first = i + 1;
	}
}

int call_inside_find(struct call_choice *c, const struct walked_call *const *calls, size_t n,
		     struct inside *out)
{
	struct finding f = {.c = c, .out = out, .n = n};
	const struct call_taker taker = {
		.event = add_switch, .begin = begin_call, .end = end_call, .data = &f};
	int rc;

	begin(&f, calls);
	rc = call_walk_all(c, &taker);
	add_samples(&f, !f.switches);
	for (size_t i = 0; i < n; i++) {
		vec_sort(&out[i].calls, most_first);
		vec_sort(&out[i].waits, most_first);
		vec_sort(&out[i].samples, most_first);
	}
	free(f.next);
	free(f.why);
	map_release(&f.by_call);
	map_release(&f.by_part);
	map_release(&f.by_thread);
	return rc;
}

void call_inside_release(struct inside *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		vec_release(&in[i].calls);
		vec_release(&in[i].waits);
		vec_release(&in[i].samples);
	}
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *function_name(const struct profile *p, uint32_t function)
{
	return profile_text(p, p->functions.at[function].name);
}

static void add_called(struct str *s, const struct profile *p, const struct inside *in,
		       uint64_t whole)
{
	size_t named = 0;

	vec_each (part, &in->calls) {
		if (named == PARTS_NAMED || (double)part->ns < SHARE_LEAST * (double)whole)
			break;
		str_addf(s, "%s%s %s", named++ ? ", " : "", function_name(p, part->what),
			 percent_text((double)part->ns, (double)whole));
		if (part->n > 1)
			str_addf(s, " in %s calls", count_text(part->n));
	}
	if (in->calls.n && !named)
		str_addf(s, "calls of %s", function_name(p, in->calls.at[0].what));
	if (in->calls.n > (named ? named : 1))
		str_addf(s, ", %zu other function%s", in->calls.n - (named ? named : 1),
			 in->calls.n - (named ? named : 1) == 1 ? "" : "s");
}

static void add_waited(struct str *s, const struct profile *p, const struct inside *in)
{
	if (!in->waits.n)
		return;
	str_addf(s, "%swaited %s%s", s->n ? "; " : "", in->sampled_waits ? "at least " : "",
		 ns_text((double)in->waits_ns));
	for (size_t i = 0, named = 0; i < in->waits.n && named < PARTS_NAMED; i++) {
		const struct inside_part *w = &in->waits.at[i];

		if (!w->what)
			continue;
		str_addf(s, "%s%s", named++ ? ", " : ": ", why_text(p, w->what));
		if (in->waits.n > 1)
			str_addf(s, " (%s)", ns_text((double)w->ns));
	}
}

static void add_sampled(struct str *s, const struct profile *p, const struct inside *in)
{
	if (!in->samples.n)
		return;
	str_addf(s, "%s%s sample%s on CPU in", s->n ? "; " : "", count_text(in->samples_n),
		 in->samples_n == 1 ? "" : "s");
	for (size_t i = 0; i < in->samples.n && i < PARTS_NAMED; i++) {
		str_addf(s, "%s%s", i ? ", " : " ", function_name(p, in->samples.at[i].what));
		if (in->samples.n > 1)
			str_addf(s, " (%s)", count_text(in->samples.at[i].n));
	}
}

char *call_inside_text(const struct profile *p, const struct inside *in)
{
	struct str s = {0};

	add_called(&s, p, in, call_ns(&in->call->call));
	add_waited(&s, p, in);
	add_sampled(&s, p, in);
	return str_steal(&s);
}
