#include "debuginfo/unitwalk.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

/* Blocks and inlined calls nest a few dozen deep in real code. */
#define MAX_DEPTH 256

/* Owner of an address: the number of its subprogram's entry, or one of these. */
enum { OWNER_NONE = 0, OWNER_DONE = UINT32_MAX };

struct walk {
	const uint64_t *addresses;
	uint32_t n;
	uint64_t code_start;
	bool everywhere;  /* enter what holds no address too: functions may stand inside others */
	uint32_t *owner;  /* per address */
	uint32_t entries; /* seen so far: numbers them */
	struct dwarf_hits *hits;
	const struct split_unit *split;
	uint32_t depth;
	Dwarf_Die stack[MAX_DEPTH];
	uint32_t function[MAX_DEPTH]; /* per depth: number of the subprogram around it */
};

/* Of two functions that claim an address (folded ones do) the first stays, with the inlined calls
 * that it contains. */
static void hit(struct walk *w, uint32_t address, bool is_function)
{
	uint32_t *owner = &w->owner[address];

	if (is_function && *owner == OWNER_NONE)
		*owner = w->entries;
	else if (is_function || *owner == OWNER_NONE || *owner != w->function[w->depth])
		return;
	vec_push(&w->hits->at, ((struct dwarf_hit){address, w->entries, w->stack[w->depth]}));
}

/* What is looked for in the ranges of the entry on top of the stack. */
struct look {
	struct walk *w;
	bool record, is_function; /* .record: notes a hit for each */
	bool any;
};

static void look_at_range(void *look, uint64_t low, uint64_t high)
{
	struct look *l = look;
	struct walk *w = l->w;
	size_t from, to;

	if (low < w->code_start || low >= high)
		return;
	from = bound_lower(w->addresses, w->n, low);
	to = bound_lower(w->addresses, w->n, high);
	l->any |= from < to;
	for (size_t i = from; l->record && i < to; i++)
		hit(w, (uint32_t)i, l->is_function);
}

/* Whether the entry's ranges hold any of the addresses; @record: notes a hit for each. */
static bool holds_any(struct walk *w, bool record, bool is_function)
{
	struct look look = {.w = w, .record = record, .is_function = is_function};
	Dwarf_Die *die = &w->stack[w->depth];
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (w->split)
		splitunit_ranges(w->split, die, look_at_range, &look);
	while (!w->split && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		look_at_range(&look, low, high);
	return look.any;
}

/* Looks at the entry on top of the stack; true: its children matter too. */
static bool visit(struct walk *w)
{
	Dwarf_Die *die = &w->stack[w->depth];

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		return holds_any(w, true, true) || w->everywhere;
	case DW_TAG_inlined_subroutine:
		return holds_any(w, true, false) || w->everywhere;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_compile_unit:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return w->everywhere;
	default:
		return false;
	}
}

static bool enter(struct walk *w)
{
	const bool is_function = dwarf_tag(&w->stack[w->depth]) == DW_TAG_subprogram;

	if (w->depth + 1 == MAX_DEPTH || dwarf_child(&w->stack[w->depth], &w->stack[w->depth + 1]))
		return false;
	w->function[w->depth + 1] = is_function ? w->entries : w->function[w->depth];
	w->depth++;
	return true;
}

/* An entry takes a byte or more: a walk of more steps than the unit has bytes goes in circles. */
static void run(struct walk *w, const struct dwarf_unit *unit)
{
	const uint64_t most = unit->split ? unit->split->bytes : unit->bytes;

	w->depth = 0;
	w->stack[0] = unit->split ? unit->split->die : unit->die;
	for (uint64_t steps = 0; steps < most && w->entries < OWNER_DONE - 1; steps++) {
		w->entries++;
		if (visit(w) && enter(w))
			continue;
		while (w->depth && dwarf_siblingof(&w->stack[w->depth], &w->stack[w->depth]))
			w->depth--;
		if (!w->depth)
			return;
	}
}

/* Marks what has an owner as done; true where something has none. */
static bool any_left(struct walk *w)
{
	bool left = false;

	for (uint32_t i = 0; i < w->n; i++) {
		left |= w->owner[i] == OWNER_NONE;
		w->owner[i] = w->owner[i] == OWNER_NONE ? OWNER_NONE : OWNER_DONE;
	}
	return left;
}

static int compare(const void *pa, const void *pb)
{
	const struct dwarf_hit *a = pa, *b = pb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

void unitwalk_run(struct dwarf_unit *unit, const uint64_t *addresses, uint32_t n,
		  uint64_t code_start, struct dwarf_hits *hits)
{
	struct walk *w = mem_zalloc(1, sizeof(*w));

	w->addresses = addresses;
	w->n = n;
	w->code_start = code_start;
	w->hits = hits;
	w->split = unit->split;
	w->owner = mem_zalloc(n, sizeof(*w->owner));
	run(w, unit);
	if (any_left(w)) {
		w->everywhere = true;
		run(w, unit);
	}
	if (hits->at.n)
		qsort(hits->at.at, hits->at.n, sizeof(*hits->at.at), compare);
	free(w->owner);
	free(w);
}

void unitwalk_each(Dwarf *dwarf, bool types, void (*each)(void *context, struct dwarf_unit *),
		   void *context)
{
	Dwarf_Off offset = 0, next, type;
	uint64_t signature;
	size_t header;

	while (!dwarf_next_unit(dwarf, offset, &next, &header, NULL, NULL, NULL, NULL,
				types ? &signature : NULL, types ? &type : NULL)) {
		struct dwarf_unit unit = {.bytes = next - offset - header};

		if (next <= offset || header >= next - offset)
			return;
		if (types ? dwarf_offdie_types(dwarf, offset + header, &unit.die)
			  : dwarf_offdie(dwarf, offset + header, &unit.die))
			each(context, &unit);
		offset = next;
	}
}
