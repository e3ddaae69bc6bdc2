/*
 * memory: why the memory of the target's processes grew and shrank.
 */
#include "view/facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/memory_use.h"
#include "view/base.h"

/* Rows of a kind in one, without swap. */
static struct memory_change sum_of(const struct profile *p, enum memory_kind kind)
{
	struct memory_change sum = {.kind = (uint8_t)kind};

	vec_each (c, &p->memory_changes) {
		if (c->kind != kind)
			continue;
		sum.anonymous += c->anonymous;
		sum.file += c->file;
		sum.shared += c->shared;
		sum.swap += c->swap;
	}
	return sum;
}

static void row(struct doc_table *t, const char *why, const struct memory_change *c)
{
	doc_cell(t, 0, "%s", why);
	base_bytes_cell(t, memory_resident(c));
	base_bytes_cell(t, c->anonymous);
	base_bytes_cell(t, c->file);
	base_bytes_cell(t, c->shared);
	base_bytes_cell(t, c->swap);
}

static void rows_of(struct doc_table *t, const struct profile *p, enum memory_kind kind)
{
	vec_each (c, &p->memory_changes)
		if (c->kind == kind)
			row(t, profile_text(p, c->why), c);
}

/* What changed in a way that was not seen. */
static struct memory_change rest_of(const struct profile *p)
{
	struct memory_change rest = sum_of(p, MEMORY_NET);
	bool known = false;

	vec_each (c, &p->memory_changes)
		known |= c->kind == MEMORY_NET;
	if (!known)
		return rest;

	for (enum memory_kind kind = MEMORY_GREW; kind < MEMORY_NET; kind++) {
		const struct memory_change sum = sum_of(p, kind);

		rest.anonymous -= sum.anonymous;
		rest.file -= sum.file;
		rest.shared -= sum.shared;
		rest.swap -= sum.swap;
	}
	return rest;
}

static void write_table(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Cause", "cause", CELL_TEXT, NULL},
		{"Resident", "resident_bytes", CELL_NUMBER, "in memory: the next three together"},
		{"Anonymous", "anonymous_bytes", CELL_NUMBER, "of no file: heaps, stacks"},
		{"File", "file_bytes", CELL_NUMBER,
		 "pages of mapped files, which other processes may share"},
		{"Shared", "shared_bytes", CELL_NUMBER, "shared memory: shm, memfd, tmpfs"},
		{"Swap", "swap_bytes", CELL_NUMBER, NULL},
	};
	struct doc_table *t = doc_table_of(
		doc, "all processes of the target, also those that ended; less than 0: it shrank",
		columns);
	const struct memory_change rest = rest_of(in->profile);

	for (enum memory_kind kind = MEMORY_GREW; kind < MEMORY_NET; kind++)
		rows_of(t, in->profile, kind);
	if (memory_resident(&rest) || rest.swap)
		row(t, "in ways that were not seen", &rest);
	rows_of(t, in->profile, MEMORY_NET);
}

static bool has_any(const struct profile *p)
{
	return profile_has(p, PART_GROWTH) || p->memory_levels.n || p->memory_before.n;
}

static int memory_write(const struct view_input *in, struct doc *doc)
{
	const bool all = !in->selection->from_ns && !in->selection->to_ns;

	if (!has_any(in->profile)) {
		doc_text(doc, "No memory of processes in this profile: eprof --heap captures it.");
		return 0;
	}
	if (!all && !in->profile->memory_levels.n)
		return 0;
	doc_heading(doc, "Memory");
	if (all && in->profile->memory_changes.n)
		write_table(in, doc);
	return memory_levels_write(in, doc);
}

/* ", file 0.4 MiB" */
static void add_part(struct str *text, const char *name, int64_t bytes)
{
	if (bytes)
		str_addf(text, "%s%s %s", text->n ? ", " : "", name, base_signed_bytes(bytes));
}

void memory_fact(const struct view_input *in, struct doc_block *b)
{
	const struct memory_change grew = sum_of(in->profile, MEMORY_GREW),
				   shrank = sum_of(in->profile, MEMORY_SHRANK);
	struct str parts = {0};
	_free_ char *by = NULL, *back = NULL;

	if (!memory_resident(&grew) || in->selection->from_ns || in->selection->to_ns)
		return;
	add_part(&parts, "anonymous", grew.anonymous);
	add_part(&parts, "files", grew.file);
	add_part(&parts, "shared", grew.shared);
	by = mem_strdup(base_signed_bytes(memory_resident(&grew)));
	if (memory_resident(&shrank))
		back = mem_printf(", gave back %s", base_signed_bytes(-memory_resident(&shrank)));
	doc_fact(b, false, "Memory", "grew by %s (%s)%s; this shows growth, not leaks", by,
		 str_text(&parts), back ? back : "");
	str_release(&parts);
}

const struct view memory_view = {
	.name = "memory",
	.about = "what processes had before and over time, and why they grew (--heap)",
	.has = has_any,
	.shows = {IN_REPORTS},
	.write = memory_write,
};
