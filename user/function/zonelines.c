#include "function/zonelines.h"

#include <stdlib.h>
#include <string.h>

#include "elf/segments.h"

const struct dwarf_function *zonelines_declared(const struct zonelines *l, size_t i)
{
	const struct dwarf_span *span = l->known ? &l->names.spans.at[i] : NULL;

	/* The last is the function itself, the others are inlined into it. */
	if (!span || !span->n)
		return NULL;
	return &l->names.functions.at[l->names.frames.at[span->first + span->n - 1].function];
}

uint32_t zonelines_end(const struct zonelines *l, size_t i)
{
	return l->ends.n ? l->ends.at[i] : 0;
}

struct start_line {
	const char *file;
	uint32_t line, function;
};

static int by_line(const void *pa, const void *pb)
{
	const struct start_line *a = pa, *b = pb;
	const int differ = strcmp(a->file, b->file);

	if (differ)
		return differ;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* A function goes on to where the next one of its file starts. */
static void find_ends(struct zonelines *l, size_t n)
{
	VEC(struct start_line) starts = {0};
	uint32_t next = 0;

	vec_reserve(&l->ends, n);
	memset(l->ends.at, 0, n * sizeof(*l->ends.at));
	l->ends.n = n;
	for (size_t i = 0; i < n; i++) {
		const struct dwarf_function *d = zonelines_declared(l, i);

		if (d && d->file && d->line)
			vec_push(&starts, ((struct start_line){d->file, d->line, (uint32_t)i}));
	}
	if (starts.n)
		qsort(starts.at, starts.n, sizeof(*starts.at), by_line);
	for (size_t i = starts.n; i-- > 0;) {
		const struct start_line *s = &starts.at[i], *after = s + 1;

		if (i + 1 == starts.n || strcmp(s->file, after->file))
			next = 0;
		else if (after->line > s->line)
			next = after->line - 1;
		l->ends.at[s->function] = next;
	}
	vec_release(&starts);
}

void zonelines_find(struct zonefile *z, const uint64_t *addresses, uint32_t n, bool ends,
		    struct zonelines *out)
{
	*out = (struct zonelines){0};
	out->known = !dwarf_find(z->debug ? z->debug : z->elf, addresses, n,
				 segments_code_start(&z->file), &out->names);
	if (out->known && ends && n)
		find_ends(out, n);
}

void zonelines_release(struct zonelines *l)
{
	dwarf_names_release(&l->names);
	vec_release(&l->ends);
}
