#include "heap/mapped.h"

#include <string.h>

void mapped_release(struct mapped *m)
{
	vec_release(&m->pieces);
}

static void change(mapped_changes *out, const struct mapped_piece *p, int sign)
{
	if (p->accessible && p->end > p->start)
		vec_push(out, ((struct mapped_change){
				      .by = p->by, .bytes = sign * (int64_t)(p->end - p->start)}));
}

/* The first piece that ends behind @address. */
static size_t find(const struct mapped *m, uint64_t address)
{
	return vec_upto(&m->pieces, end, address);
}

static void insert(struct mapped *m, size_t at, struct mapped_piece piece)
{
	vec_push(&m->pieces, piece);
	memmove(&m->pieces.at[at + 1], &m->pieces.at[at],
		(m->pieces.n - 1 - at) * sizeof(*m->pieces.at));
	m->pieces.at[at] = piece;
}

static void remove_n(struct mapped *m, size_t at, size_t n)
{
	if (!n)
		return;
	memmove(&m->pieces.at[at], &m->pieces.at[at + n],
		(m->pieces.n - at - n) * sizeof(*m->pieces.at));
	m->pieces.n -= n;
}

/* Makes an edge at @address, if a piece reaches across it. */
static void split(struct mapped *m, uint64_t address)
{
	const size_t at = find(m, address);
	struct mapped_piece rest;

	if (at == m->pieces.n || m->pieces.at[at].start >= address)
		return;
	rest = m->pieces.at[at];
	rest.start = address;
	m->pieces.at[at].end = address;
	insert(m, at + 1, rest);
}

static bool follows(const struct mapped_piece *a, const struct mapped_piece *b)
{
	return a->end == b->start && a->by == b->by && a->accessible == b->accessible;
}

/* Joins the piece with those beside it that are alike. */
static void join(struct mapped *m, size_t at)
{
	if (at + 1 < m->pieces.n && follows(&m->pieces.at[at], &m->pieces.at[at + 1])) {
		m->pieces.at[at].end = m->pieces.at[at + 1].end;
		remove_n(m, at + 1, 1);
	}
	if (at && follows(&m->pieces.at[at - 1], &m->pieces.at[at])) {
		m->pieces.at[at - 1].end = m->pieces.at[at].end;
		remove_n(m, at, 1);
	}
}

uint64_t mapped_take(struct mapped *m, uint64_t start, uint64_t end, mapped_changes *out)
{
	uint64_t unknown = end > start ? end - start : 0;
	size_t first, after;

	if (!unknown)
		return 0;
	split(m, start);
	split(m, end);
	first = after = find(m, start);
	for (; after < m->pieces.n && m->pieces.at[after].start < end; after++) {
		const struct mapped_piece *p = &m->pieces.at[after];

		unknown -= p->end - p->start;
		change(out, p, -1);
	}
	remove_n(m, first, after - first);
	return unknown;
}

bool mapped_put(struct mapped *m, struct mapped_piece piece, mapped_changes *out)
{
	size_t at;

	(void)mapped_take(m, piece.start, piece.end, out);
	if (piece.end <= piece.start)
		return true;
	if (m->pieces.n >= MAPPED_PIECES)
		return false;
	at = find(m, piece.start);
	insert(m, at, piece);
	change(out, &piece, 1);
	join(m, at);
	return true;
}

void mapped_protect(struct mapped *m, uint64_t start, uint64_t end, uint32_t by, bool accessible,
		    mapped_changes *out)
{
	if (end <= start || m->pieces.n >= MAPPED_PIECES)
		return;
	split(m, start);
	split(m, end);
	for (size_t i = find(m, start); i < m->pieces.n && m->pieces.at[i].start < end; i++) {
		struct mapped_piece *p = &m->pieces.at[i];

		if (p->accessible == accessible)
			continue;
		change(out, p, -1);
		p->accessible = accessible;
		p->by = by;
		change(out, p, 1);
	}
	/* Neighbours may be alike now, those within, too. */
	for (size_t i = find(m, start); i < m->pieces.n && m->pieces.at[i].start <= end;) {
		const size_t n = m->pieces.n;

		join(m, i);
		i += m->pieces.n == n;
	}
}

bool mapped_break(struct mapped *m, uint64_t end, uint32_t by, mapped_changes *out)
{
	const uint64_t was = m->brk;

	m->brk = end;
	if (!was || end == was)
		return true;
	if (end > was)
		return mapped_put(m, (struct mapped_piece){was, end, by, true}, out);
	(void)mapped_take(m, end, was, out);
	return true;
}

void mapped_take_all(struct mapped *m, mapped_changes *out)
{
	vec_each (p, &m->pieces)
		change(out, p, -1);
	m->pieces.n = 0;
	m->brk = 0;
}
