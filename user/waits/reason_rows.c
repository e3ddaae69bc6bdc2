#include <stdlib.h>

#include "base/str.h"
#include "symbol/namer.h"
#include "waits/reasonbook.h"

/* --- names of variables --------------------------------------------------------------------- */

/* Each variable once. */
struct variables {
	VEC(struct place) places;
	struct map by_place;
	uint32_t *of_row; /* per row of the book: number in places + 1; 0: none */
};

static void collect(struct variables *v, const struct reasonbook *b)
{
	v->of_row = mem_zalloc(b->rows.n, sizeof(*v->of_row));
	for (size_t i = 1; i < b->rows.n; i++) {
		const struct variable *at = &b->rows.at[i].variable;
		const struct image *image = at->image ? images_at(b->images, at->image) : NULL;
		uint32_t *place;
		bool fresh;

		if (!image || image->serial != at->serial)
			continue;
		place = map_put(&v->by_place, hash_two(at->image, at->distance), &fresh);
		if (fresh) {
			vec_push(&v->places,
				 ((struct place){place_of_variable(at->distance), at->image}));
			*place = (uint32_t)v->places.n;
		}
		v->of_row[i] = *place;
	}
	map_release(&v->by_place);
}

/* "app:queue_lock", "app:table+0x40"; "app+0x4060" where it has no name. */
static uint32_t object_of(struct profile *p, const struct profile *names, uint32_t frame)
{
	const struct function *f = &names->functions.at[names->frames.at[frame].function];
	const char *name = profile_text(names, f->name);
	const char *module = profile_text(names, names->modules.at[f->module].path);
	_free_ char *whole = f->named ? mem_printf("%s:%s", str_base(module), name) : NULL;

	return intern_add(&p->strings, whole ? whole : name);
}

static void name_variables(struct reason_rows *r)
{
	const struct reasonbook *b = r->book;
	struct variables v = {0};
	struct namer_stats stats;
	struct named named = {0};
	struct profile *names = profile_new();
	_free_ uint8_t *is_return = NULL;

	collect(&v, b);
	is_return = mem_zalloc(v.places.n + 1, sizeof(*is_return));
	if (v.places.n &&
	    !namer_run(b->images, v.places.at, is_return, v.places.n, names, &named, &stats))
		for (size_t i = 1; i < b->rows.n; i++)
			if (v.of_row[i])
				r->objects[i] =
					object_of(r->p, names,
						  named.frame.at[named.first.at[v.of_row[i] - 1]]);
	named_release(&named);
	profile_free(names);
	vec_release(&v.places);
	free(v.of_row);
}

/* --- rows ----------------------------------------------------------------------------------- */

void reason_rows_init(struct reason_rows *r, const struct reasonbook *b, struct profile *p)
{
	*r = (struct reason_rows){.book = b, .p = p};
	r->objects = mem_zalloc(b->rows.n, sizeof(*r->objects));
	for (size_t i = 1; i < b->rows.n; i++)
		r->objects[i] =
			intern_add(&p->strings, intern_text(&b->texts, b->rows.at[i].object));
	name_variables(r);
}

void reason_rows_release(struct reason_rows *r)
{
	free(r->objects);
	map_release(&r->by_kind);
	waitstack_release(&r->stack);
}

/* A fault within a call is not what the call waits for. */
static enum reason_kind kind_of(const struct reasonbook_row *row, enum reason_kind by_stack)
{
	if (row->is_kernel || row->kind == REASON_RUNNABLE || row->kind == REASON_STOPPED ||
	    row->kind == REASON_TRACED)
		return row->kind;
	if (by_stack == REASON_FAULT)
		return row->io ? REASON_FAULT_DISK : REASON_FAULT;
	return row->restarted && by_stack != REASON_NONE ? by_stack : row->kind;
}

static uint32_t add(struct reason_rows *r, uint32_t number, enum reason_kind kind)
{
	const struct reasonbook_row *row = &r->book->rows.at[number];
	const char *call = intern_text(&r->book->texts, row->call);
	/* A thread of the kernel that sleeps, but not for something that goes on, has no work. */
	const bool idle =
		row->is_kernel ? row->state == 'I' || row->state == 'S' : reason_kind_is_idle(kind);
	const struct reason reason = {.kind = (uint8_t)kind,
				      .idle = idle,
				      .state = row->state,
				      .call = intern_add(&r->p->strings, call),
				      .object = kind == row->kind ? r->objects[number] : 0};

	return profile_reason(r->p, &reason);
}

uint32_t reason_rows_put(struct reason_rows *r, uint32_t number, uint32_t node)
{
	enum reason_kind kind;
	uint32_t *known;
	bool fresh;

	if (!number)
		return 0;
	kind = kind_of(&r->book->rows.at[number], waitstack_kind(&r->stack, r->p, node));
	known = map_put(&r->by_kind, (uint64_t)number << 8 | kind, &fresh);
	if (fresh)
		*known = add(r, number, kind);
	return *known;
}
