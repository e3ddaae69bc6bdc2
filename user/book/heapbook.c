#include "book/heapbook.h"

#include "stack/stackbook.h"

void heapbook_release(struct heapbook *b)
{
	vec_release(&b->rows);
	vec_release(&b->changes);
}

static struct heap_row *row_at(struct heapbook *b, size_t number)
{
	while (b->rows.n <= number)
		vec_push(&b->rows, ((struct heap_row){.of = {.user = NO_STACK}}));
	return &b->rows.at[number];
}

void heapbook_know(struct heapbook *b, uint32_t number, const struct heap_origin *of)
{
	struct heap_row *row;

	if (number >= WIRE_ALLOC_ROWS)
		return;
	row = row_at(b, number);
	row->known = true;
	row->of = *of;
	row->windows = 0;
}

/* @bytes: of the two values, the first. */
static void read_sum(const struct wire_alloc_sum *s, enum heap_value bytes,
		     int64_t out[HEAP_COLUMNS])
{
	const uint64_t half = WIRE_ALLOC_ONE / 2;

	out[bytes] = (int64_t)s->bytes;
	out[bytes + 1] = (int64_t)((s->blocks + half) / WIRE_ALLOC_ONE);
	out[HEAP_VALUES + bytes] = (int64_t)s->bytes_variance;
	out[HEAP_VALUES + bytes + 1] = (int64_t)((s->blocks_variance + half) / WIRE_ALLOC_ONE);
}

static void read_values(const struct wire_alloc_row *r, uint64_t epoch,
			const struct wire_alloc_sum *more_leaked, int64_t out[HEAP_COLUMNS])
{
	const struct wire_alloc_sum leaked = {
		r->leaked.bytes + more_leaked->bytes, r->leaked.blocks + more_leaked->blocks,
		r->leaked.bytes_variance + more_leaked->bytes_variance,
		r->leaked.blocks_variance + more_leaked->blocks_variance};

	read_sum(&r->live, HEAP_LIVE, out);
	read_sum(r->epoch == epoch ? &r->peak : &r->live, HEAP_PEAK, out);
	read_sum(&r->total, HEAP_TOTAL, out);
	read_sum(&leaked, HEAP_LEAKED, out);
	read_sum(&r->temporary, HEAP_TEMPORARY, out);
}

/* The row of calls without a stack belongs to the first thread that is known. */
static bool is_known(struct heapbook *b, size_t number)
{
	if (number || b->rows.at[0].known)
		return b->rows.at[number].known;
	for (size_t i = 1; i < b->rows.n; i++) {
		if (!b->rows.at[i].known)
			continue;
		heapbook_know(
			b, 0,
			&(struct heap_origin){.thread = b->rows.at[i].of.thread, .user = NO_STACK});
		return true;
	}
	return false;
}

void heapbook_look(struct heapbook *b, const struct map_entries *rows, size_t used, uint64_t epoch,
		   const struct wire_alloc_sum *leaked, uint64_t time_ns, bool last)
{
	static const struct wire_alloc_sum none;

	b->looked_ns = time_ns;
	for (size_t i = 0; i < used && i < rows->n; i++) {
		struct heap_change change = {.time_ns = time_ns, .row = (uint32_t)i};
		struct heap_row *row = row_at(b, i);
		int64_t now[HEAP_COLUMNS];
		bool any = false;

		if (!is_known(b, i) && !last)
			continue;
		row = &b->rows.at[i];
		read_values(map_entry_value(rows, i), epoch, leaked ? &leaked[i] : &none, now);
		for (size_t v = 0; v < HEAP_COLUMNS; v++) {
			change.by[v] = now[v] - row->last[v];
			row->last[v] = now[v];
			any |= change.by[v] != 0;
		}
		if (!any)
			continue;
		row->changed_ns = time_ns;
		vec_push(&b->changes, change);
	}
}

/* A window may end while its stacks are sent again. */
#define OLD 2

bool heapbook_is_used_up(const struct heapbook *b, size_t number)
{
	const struct heap_row *row = &b->rows.at[number];

	return number && row->known && row->windows >= OLD && row->changed_ns <= b->ended_ns &&
	       !row->last[HEAP_LIVE_BLOCKS] && !row->last[HEAP_PEAK_BLOCKS];
}

static void add_to(struct heap_tally *t, const struct heap_row *row)
{
	const int64_t n = row->last[HEAP_TOTAL_BLOCKS];

	t->bytes += row->last[HEAP_TOTAL];
	if (row->of.user == NO_STACK)
		return;
	t->ends[row->of.end % WIRE_ENDS] += n;
	t->guessed += row->of.guessed ? n : 0;
}

void heapbook_drop(struct heapbook *b, size_t number)
{
	add_to(&b->dropped, &b->rows.at[number]);
	b->rows.at[number] = (struct heap_row){.of = {.user = NO_STACK}};
}

struct heap_tally heapbook_tally(const struct heapbook *b)
{
	struct heap_tally t = b->dropped;

	vec_each (row, &b->rows)
		add_to(&t, row);
	return t;
}

void heapbook_window_end(struct heapbook *b)
{
	b->ended = b->changes.n;
	b->ended_ns = b->looked_ns;
}

void heapbook_window_forget(struct heapbook *b, struct survivors *r)
{
	vec_drop_first(&b->changes, b->ended);
	b->ended = 0;
	vec_each (row, &b->rows) {
		if (row->known)
			survivors_mark(r, row->of.thread, row->of.user, NO_STACK);
		row->windows++;
	}
}

void heapbook_window_renumber(struct heapbook *b, const struct survivors *r)
{
	uint32_t kernel = NO_STACK;

	vec_each (row, &b->rows) {
		if (row->known)
			survivors_renumber(r, &row->of.thread, &row->of.user, &kernel);
	}
}
