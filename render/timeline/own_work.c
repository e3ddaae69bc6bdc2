#include "timeline/own_work.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/event_cursor.h"
#include "model/profile.h"
#include "timeline/event_prices.h"
#include "timeline/timed_calls.h"

/* A thread, whatever it is called; times are since the span began. */
struct worker {
	double until; /* when the work of all its events so far was done */
	double spent; /* in the part */
	double told;  /* the last level */
	uint32_t part, next, thread;
	bool any;
};

static void tell(struct own_work *f, struct worker *w, uint32_t part, double percent)
{
	w->next = part + 1;
	if (part && percent <= w->told && percent >= w->told)
		return;
	w->told = percent;
	vec_push(f->out, ((struct own_level){f->from_ns + part * f->part_ns, w->thread, percent}));
}

/* The part is over; parts without work before it are 0. */
static void end_part(struct own_work *f, struct worker *w)
{
	const double percent = round(1000 * w->spent / (double)f->part_ns) / 10;

	if (w->next < w->part)
		tell(f, w, w->next, 0);
	tell(f, w, w->part, percent);
	w->spent = 0;
}

/* Takes what is before the span off. */
static void cut(double *at, double *price)
{
	const double before = *at < 0 ? -*at : 0;

	*at += before;
	*price -= before;
}

/* An event's work begins when that of the ones before it is done. */
static void spend(struct own_work *f, struct worker *w, double at, double price)
{
	if (!(price > 0))
		return;
	at = at > w->until ? at : w->until;
	w->until = at + price;
	cut(&at, &price);
	while (price > 0) {
		const double part = floor(at / (double)f->part_ns);
		const double room = (part + 1) * (double)f->part_ns - at;
		const double takes = price < room ? price : room;

		if (part >= f->parts || takes <= 0)
			return;
		if ((uint32_t)part != w->part)
			end_part(f, w);
		w->part = (uint32_t)part;
		w->any = true;
		w->spent += takes;
		at += takes;
		price -= takes;
	}
}

static void finish(struct own_work *f, struct worker *w)
{
	if (!w->any)
		return;
	end_part(f, w);
	if (w->next < f->parts)
		tell(f, w, w->next, 0);
}

static int by_thread(const void *a, const void *b)
{
	const struct own_level *x = a, *y = b;

	return order_up(x->thread, y->thread) ?: order_up(x->time_ns, y->time_ns);
}

struct own_span own_work_span(const struct profile *p)
{
	return (struct own_span){
		.from_ns = events_first_ns(p), .to_ns = calls_end_ns(p), .most = OWN_WORK_MOST};
}

static uint64_t length_of(const struct own_span *span)
{
	return span->to_ns > span->from_ns ? span->to_ns - span->from_ns : 0;
}

uint64_t own_work_part_ns(const struct own_span *span)
{
	return length_of(span) / span->most + (length_of(span) % span->most != 0);
}

void own_work_begin(struct own_work *f, const struct event_prices *prices,
		    const struct own_span *span, own_levels *out)
{
	const struct profile *p = prices->part;
	const uint64_t length = length_of(span);

	*f = (struct own_work){.prices = prices,
			       .first = threads_first(p, NULL),
			       .of = mem_zalloc(p->threads.n + 1, sizeof(*f->of)),
			       .from_ns = span->from_ns,
			       .part_ns = own_work_part_ns(span),
			       .out = out};
	f->parts = f->part_ns ? (uint32_t)(length / f->part_ns + (length % f->part_ns != 0)) : 0;
	for (uint32_t i = 0; i < p->threads.n; i++)
		f->of[i] = (struct worker){.thread = i, .until = -INFINITY};
}

void own_work_take(struct own_work *f, const struct timed_event *e)
{
	spend(f, &f->of[f->first[e->thread]], (double)(int64_t)(e->time_ns - f->from_ns),
	      event_price(f->prices, e));
}

void own_work_finish(struct own_work *f)
{
	for (uint32_t i = 0; i < f->prices->part->threads.n; i++)
		finish(f, &f->of[i]);
	vec_sort(f->out, by_thread);
	free(f->of);
	free(f->first);
}

void own_work_find(const struct event_prices *prices, const struct own_span *span, own_levels *out)
{
	const struct timed_event *e;
	struct event_cursor c;
	struct own_work work;

	own_work_begin(&work, prices, span, out);
	event_cursor_init(&c, prices->part);
	while ((e = event_cursor_next(&c)))
		own_work_take(&work, e);
	(void)event_cursor_release(&c); /* who walks them for more says so */
	own_work_finish(&work);
}

void own_work_of(const struct profile *p, const struct profile *part, const struct own_span *span,
		 own_levels *out)
{
	struct event_prices prices;

	*out = (own_levels){0};
	if (!event_prices_find(p, part, &prices))
		own_work_find(&prices, span, out);
	event_prices_release(&prices);
}
