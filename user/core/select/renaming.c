#include "select/renaming.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/cell.h"
#include "model/packed.h"
#include "model/row.h"
#include "model/rows.h"

void renaming_release(struct renaming *r)
{
	intern_release(&r->texts);
	vec_release(&r->functions);
	vec_release(&r->frames);
	vec_release(&r->spans);
}

/* --- into the profile ------------------------------------------------------------------------- */

static uint32_t text_in(const struct renaming *r, uint32_t text, struct profile *p)
{
	const char *at = intern_text(&r->texts, text);
	_free_ char *clean = str_clean(at, strlen(at));

	return intern_add(&p->strings, clean);
}

/* Adds the frame to the profile. */
static uint32_t frame_in(const struct renaming *r, const struct renaming_frame *frame,
			 uint32_t module, bool guessed, struct profile *p)
{
	const struct renaming_function *f = &r->functions.at[frame->function];
	const struct function function = {
		.name = text_in(r, f->name, p),
		.linkage = text_in(r, f->linkage, p),
		.file = text_in(r, f->file, p),
		.line = f->line,
		.module = module,
		.kind = KIND_NATIVE,
		.named = true,
	};
	const struct frame named = {.function = profile_function(p, &function),
				    .line = frame->line,
				    .inlined = frame->inlined != 0,
				    .guessed = guessed};

	return profile_frame(p, &named);
}

void renaming_apply(const struct renaming *r, struct profile *p)
{
	const size_t n = p->frames.n;
	_free_ uint32_t *of = unnamed_of_frames(p);
	_free_ uint32_t *first = mem_zalloc(n + 1, sizeof(*first));
	VEC(uint32_t) by = {0};

	for (size_t i = 0; i < n; i++) {
		const struct renaming_span none = {0};
		const struct renaming_span *s = of[i] ? &r->spans.at[of[i] - 1] : &none;
		const struct frame was = p->frames.at[i];
		const uint32_t module = p->functions.at[was.function].module;

		for (uint32_t k = 0; k < s->n; k++)
			vec_push(&by,
				 frame_in(r, &r->frames.at[s->first + k], module, was.guessed, p));
		first[i + 1] = (uint32_t)by.n;
	}
	if (by.n)
		reframe(p, first, by.at, n);
	vec_release(&by);
}

/* --- as bytes --------------------------------------------------------------------------------- */

struct head {
	uint64_t functions, frames, spans, text_bytes;
};

void renaming_pack(const struct renaming *r, struct str *out)
{
	const struct head head = {r->functions.n, r->frames.n, r->spans.n, r->texts.bytes.n};

	str_addn(out, (const char *)&head, sizeof(head));
	PACKED_ADD(out, &r->functions);
	PACKED_ADD(out, &r->frames);
	PACKED_ADD(out, &r->spans);
	PACKED_ADD(out, &r->texts.bytes);
}

static int check(const struct renaming *r)
{
	const size_t texts = intern_count(&r->texts);

	for (size_t i = 0; i < r->functions.n; i++) {
		const struct renaming_function *f = &r->functions.at[i];

		if (f->name >= texts || f->linkage >= texts || f->file >= texts)
			return -EINVAL;
	}
	for (size_t i = 0; i < r->frames.n; i++)
		if (r->frames.at[i].function >= r->functions.n)
			return -EINVAL;
	for (size_t i = 0; i < r->spans.n; i++) {
		const struct renaming_span *s = &r->spans.at[i];

		if (s->first > r->frames.n || s->n > r->frames.n - s->first)
			return -EINVAL;
	}
	return 0;
}

static int unpack(struct packed rest, struct renaming *r)
{
	struct head head;
	int rc = PACKED_TAKE(&rest, &head);

	if (!rc)
		rc = PACKED_TAKE_ALL(&rest, &r->functions, head.functions);
	if (!rc)
		rc = PACKED_TAKE_ALL(&rest, &r->frames, head.frames);
	if (!rc)
		rc = PACKED_TAKE_ALL(&rest, &r->spans, head.spans);
	if (!rc)
		rc = packed_take_texts(&rest, head.text_bytes, &r->texts);
	if (!rc && rest.n)
		rc = -EINVAL;
	return rc ? rc : check(r);
}

int renaming_unpack(const char *at, size_t n, size_t addresses, struct renaming *r)
{
	int rc;

	*r = (struct renaming){0};
	rc = unpack((struct packed){at, n}, r);
	if (!rc && r->spans.n != addresses)
		rc = -EINVAL;
	return rc ? err(rc, "the names that were found cannot be read") : 0;
}

/* --- replacing frames ------------------------------------------------------------------------- */

static uint32_t add_node(struct profile *p, uint32_t parent, uint32_t frame, const uint32_t *first,
			 const uint32_t *by, size_t n)
{
	if (frame >= n || first[frame] == first[frame + 1])
		return profile_node(p, parent, frame);
	for (uint32_t k = first[frame + 1]; k-- > first[frame];)
		parent = profile_node(p, parent, by[k]);
	return parent;
}

/* Renumbers the cells of all tables that refer to a table: number[old]. */
static void renumber_cells(struct profile *p, enum table_id id, uint32_t *number)
{
	uint32_t *numbers[TABLES] = {0};

	numbers[id] = number;
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		for (size_t i = 0; table_id_of(t) != id && i < v->n; i++)
			row_renumber(t->table, v->at + i * t->table->row_bytes, numbers);
		row_index_reset(p, table_id_of(t));
	}
}

/* Parents come before their children, so their numbers are known. */
static void rebuild_nodes(struct profile *p, const uint32_t *first, const uint32_t *by, size_t n)
{
	const size_t old_n = p->nodes.n;
	_free_ struct node *old = p->nodes.at;
	_free_ uint32_t *number = mem_zalloc(old_n, sizeof(*number));

	p->nodes.at = NULL;
	p->nodes.n = p->nodes.cap = 0;
	row_index_reset(p, TABLE_nodes);
	vec_add(&p->nodes);
	for (size_t i = 1; i < old_n; i++)
		number[i] = add_node(p, number[old[i].parent], old[i].frame, first, by, n);
	renumber_cells(p, TABLE_nodes, number);
}

/* Drops rows that nothing refers to; row 0, which is none, stays. */
static void drop_unused(struct profile *p, enum table_id id)
{
	const size_t bytes = table_of(id)->table->row_bytes;
	struct any_vec *v = table_vec(table_of(id), p);
	_free_ bool *used = rows_used(p, id);
	_free_ uint32_t *number = mem_zalloc(v->n + 1, sizeof(*number));
	size_t kept = 1;

	for (size_t i = 1; i < v->n; i++) {
		if (!used[i])
			continue;
		number[i] = (uint32_t)kept;
		memmove(v->at + kept++ * bytes, v->at + i * bytes, bytes);
	}
	v->n = kept;
	renumber_cells(p, id, number);
}

void reframe(struct profile *p, const uint32_t *first, const uint32_t *by, size_t n)
{
	rebuild_nodes(p, first, by, n);
	drop_unused(p, TABLE_frames);
	drop_unused(p, TABLE_functions);
}
