#include "code/reach.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "code/insn.h"
#include "elf/segments.h"

/* Assembly is shorter. */
#define MAX_BYTES (64 * 1024)

struct following {
	struct reach *reach;
	const uint8_t *code;
	VEC(uint64_t) todo; /* addresses that jumps and calls lead to */
};

static bool is_new(const struct following *f, uint64_t address)
{
	const struct reach *r = f->reach;

	return address >= r->start && address < r->end && !r->seen[address - r->start];
}

/* Follows the code from @address to where it ends or was followed before. False where it goes on
 * at a place that is not known. */
static bool follow(struct following *f, uint64_t address)
{
	const struct reach *r = f->reach;
	struct insn insn;

	for (; is_new(f, address); address += insn.bytes) {
		const uint64_t at = address - r->start;

		if (!insn_read(f->code + at, r->end - address, address, &insn) ||
		    insn.kind == INSN_INDIRECT)
			return false;
		for (uint64_t i = at; i < at + insn.bytes; i++)
			r->seen[i] = 1;
		if (is_new(f, insn.target))
			vec_push(&f->todo, insn.target);
		if (insn.kind == INSN_RET || insn.kind == INSN_STOP || insn.kind == INSN_JUMP)
			return true;
	}
	return true;
}

static bool follow_all(struct reach *r, const uint8_t *code)
{
	struct following f = {.reach = r, .code = code};
	bool known = true;

	vec_push(&f.todo, r->start);
	while (known && f.todo.n)
		known = follow(&f, f.todo.at[--f.todo.n]);
	vec_release(&f.todo);
	return known;
}

void reach_read(struct reach *r, const struct elffile *f, uint64_t start, uint64_t end)
{
	_free_ uint8_t *code = NULL;
	uint64_t offset;

	if (r->start == start && r->end == end)
		return;
	reach_release(r);
	*r = (struct reach){.start = start, .end = end};
	if (start >= end || end - start > MAX_BYTES || !segments_offset(f, start, &offset))
		return;
	code = mem_zalloc(end - start, 1);
	r->seen = mem_zalloc(end - start, 1);
	if (elffile_read(f, offset, code, end - start) || !follow_all(r, code))
		reach_release(r);
}

bool reach_holds(const struct reach *r, uint64_t address)
{
	return !r->seen || (address >= r->start && address < r->end && r->seen[address - r->start]);
}

void reach_release(struct reach *r)
{
	free(r->seen);
	r->seen = NULL;
}
