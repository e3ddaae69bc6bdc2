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

static const char *signed_text(int64_t bytes)
{
	static char text[UNITS_BUF + 2];

	snprintf(text, sizeof(text), "%s%s", bytes < 0 ? "-" : "",
		 bytes_text(bytes < 0 ? -(double)bytes : (double)bytes));
	return text;
}

static void bytes_cell(struct doc_table *t, int64_t bytes)
{
	doc_cell(t, (double)bytes, "%s", bytes ? signed_text(bytes) : "-");
}

static void row(struct doc_table *t, const char *why, const struct memory_change *c)
{
	doc_cell(t, 0, "%s", why);
	bytes_cell(t, memory_resident(c));
	bytes_cell(t, c->anonymous);
	bytes_cell(t, c->file);
	bytes_cell(t, c->shared);
	bytes_cell(t, c->swap);
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

#define TERMINAL_LEVELS 20

static void write_levels(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Time", "time_ns", CELL_NUMBER, NULL},
		{"Resident", "resident_bytes", CELL_NUMBER, NULL},
		{"Anonymous", "anonymous_bytes", CELL_NUMBER, NULL},
		{"File", "file_bytes", CELL_NUMBER, NULL},
		{"Shared", "shared_bytes", CELL_NUMBER, NULL},
		{"Swap", "swap_bytes", CELL_NUMBER, NULL},
		{"Cgroup", "group_bytes", CELL_NUMBER,
		 "what the cgroup with the tightest limit uses, with files that are not mapped"},
		{"Limit", "group_limit_bytes", CELL_NUMBER, NULL},
		{"OOM kills", "oom_kills", CELL_NUMBER,
		 "processes of the cgroup that the kernel killed for lack of memory, since it was "
		 "made"},
	};
	struct doc_table *t = doc_table_of(
		doc, "what all processes of the target had together, once a second", columns);

	doc_limit(t, TERMINAL_LEVELS, 0, "seconds");
	vec_each (l, &in->profile->memory_levels) {
		base_time_cell(t, (double)l->time_ns);
		bytes_cell(t, l->anonymous + l->file + l->shared);
		bytes_cell(t, l->anonymous);
		bytes_cell(t, l->file);
		bytes_cell(t, l->shared);
		bytes_cell(t, l->swap);
		bytes_cell(t, l->group_bytes);
		bytes_cell(t, l->group_limit);
		base_count_cell(t, l->oom_kills);
	}
}

static int memory_write(const struct view_input *in, struct doc *doc)
{
	if (!profile_has(in->profile, PART_GROWTH)) {
		doc_text(doc, "No growth in this profile: eprof --heap=faults captures it.");
		return 0;
	}
	if (in->selection->from_ns || in->selection->to_ns || !in->profile->memory_changes.n)
		return 0;
	doc_heading(doc, "Memory");
	write_table(in, doc);
	if (in->profile->memory_levels.n > 2)
		write_levels(in, doc);
	return 0;
}

/* ", file 0.4 MiB" */
static void add_part(struct str *text, const char *name, int64_t bytes)
{
	if (bytes)
		str_addf(text, "%s%s %s", text->n ? ", " : "", name, signed_text(bytes));
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
	by = mem_strdup(signed_text(memory_resident(&grew)));
	if (memory_resident(&shrank))
		back = mem_printf(", gave back %s", signed_text(-memory_resident(&shrank)));
	doc_fact(b, false, "Memory", "grew by %s (%s)%s; this shows growth, not leaks", by,
		 str_text(&parts), back ? back : "");
	str_release(&parts);
}

const struct view memory_view = {
	.name = "memory",
	.about = "why processes grew and shrank (--heap=faults)",
	.part = PART_GROWTH,
	.shows = {IN_REPORTS},
	.write = memory_write,
};
