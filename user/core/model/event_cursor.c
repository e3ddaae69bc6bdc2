#include "model/event_cursor.h"

#include "base/mem.h"
#include "model/profile.h"
#include "model/rows.h"

void event_cursor_init(struct event_cursor *c, const struct profile *p)
{
	*c = (struct event_cursor){.p = p};
	if (p->events_left)
		c->own = mem_zalloc(p->events_left->most, sizeof(*c->own));
	else
		*c = (struct event_cursor){.p = p, .at = p->events.at, .n = p->events.n};
}

bool event_cursor_read(struct event_cursor *c)
{
	struct event_source *source = c->p->events_left;

	if (!source || c->rc)
		return false;
	c->at = c->own;
	c->next = c->n = 0;
	c->rc = source->read(source, &c->place, c->own, &c->n);
	if (c->rc)
		c->n = 0;
	return c->n > 0;
}

int event_cursor_release(struct event_cursor *c)
{
	free(c->own);
	c->own = NULL;
	return c->rc;
}

size_t events_count(const struct profile *p)
{
	return p->events_left ? p->events_left->n : p->events.n;
}

uint64_t events_first_ns(const struct profile *p)
{
	if (p->events_left)
		return p->events_left->first_ns;
	return p->events.n ? p->events.at[0].time_ns : 0;
}

uint64_t events_last_ns(const struct profile *p)
{
	if (p->events_left)
		return p->events_left->last_ns;
	return p->events.n ? p->events.at[p->events.n - 1].time_ns : 0;
}

int events_load(struct profile *p)
{
	struct event_source *source = p->events_left;
	struct event_place place = {0};
	size_t n = 0;
	int rc;

	if (!source)
		return 0;
	vec_reserve(&p->events, source->n + source->most);
	do {
		rc = source->read(source, &place, p->events.at + p->events.n, &n);
		p->events.n += rc ? 0 : n;
	} while (!rc && n);
	p->events_left = NULL;
	source->free(source);
	return rc;
}

/* --- a part ----------------------------------------------------------------------------------- */

/* Events of another source, renumbered as struct rows did. */
struct part {
	struct event_source source;
	const struct profile *from;
	uint64_t from_ns, to_ns;
	uint32_t *frames, *threads, *texts;
};

/* @number: of rows, + 1; 0: it was not taken. */
static bool is_taken(uint32_t number)
{
	return number && number != ROWS_LEFT_OUT;
}

static bool renumber(const struct part *part, struct timed_event *e)
{
	const uint32_t thread = part->threads[e->thread], frame = part->frames[e->frame];

	if (e->time_ns < part->from_ns || e->time_ns >= part->to_ns || !is_taken(thread))
		return false;
	e->thread = thread - 1;
	e->frame = is_taken(frame) ? frame - 1 : 0;
	e->argument = part->texts[e->argument];
	return true;
}

static int read_part(struct event_source *source, struct event_place *place, struct timed_event *to,
		     size_t *n)
{
	struct part *part = (struct part *)source;
	struct event_source *from = part->from->events_left;
	size_t all = 0;

	*n = 0;
	do {
		const int rc = from->read(from, place, to, &all);

		if (rc)
			return rc;
		for (size_t i = 0; i < all; i++) {
			to[*n] = to[i];
			*n += renumber(part, &to[*n]);
		}
	} while (all && !*n);
	return 0;
}

static void free_part(struct event_source *source)
{
	struct part *part = (struct part *)source;

	free(part->frames);
	free(part->threads);
	free(part->texts);
	free(part);
}

static void take(struct rows *r, struct event_source *s, const struct timed_event *e)
{
	if (rows_need(r, TABLE_threads, e->thread) == ROWS_LEFT_OUT)
		return;
	(void)rows_need(r, TABLE_frames, e->frame);
	(void)rows_text(r, e->argument);
	s->first_ns = s->n++ ? s->first_ns : e->time_ns;
	s->last_ns = e->time_ns;
}

static uint32_t *copy_of(const uint32_t *numbers, size_t n)
{
	uint32_t *copy = mem_zalloc(n + 1, sizeof(*copy));

	if (n)
		memcpy(copy, numbers, n * sizeof(*copy));
	return copy;
}

int events_part(struct rows *r, uint64_t from_ns, uint64_t to_ns)
{
	const struct profile *from = r->from;
	struct part *part = mem_zalloc(1, sizeof(*part));
	const struct timed_event *e;
	struct event_cursor c;

	*part = (struct part){
		.source = {.most = from->events_left->most, .read = read_part, .free = free_part},
		.from = from,
		.from_ns = from_ns,
		.to_ns = to_ns};
	event_cursor_init(&c, from);
	while ((e = event_cursor_next(&c)))
		if (e->time_ns >= from_ns && e->time_ns < to_ns)
			take(r, &part->source, e);
	part->frames = copy_of(r->number[TABLE_frames], from->frames.n);
	part->threads = copy_of(r->number[TABLE_threads], from->threads.n);
	part->texts = copy_of(r->texts, r->n_texts);
	r->to->events_left = &part->source;
	return event_cursor_release(&c);
}
