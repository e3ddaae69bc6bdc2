#include "cfi/cfi_expression.h"

#include <dwarf.h>

static bool is_literal(uint8_t op)
{
	return op >= DW_OP_lit0 && op <= DW_OP_lit15;
}

/* What ld writes for .plt: from some byte of each 16-byte stub on a word more is on the stack. */
static bool is_plt(const struct cfi_cursor *c, struct cfi_value *out)
{
	static const uint8_t before[] = {DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and};
	static const uint8_t behind[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
	const uint8_t *literal = c->at + sizeof(before);

	if (cfi_left(c) != sizeof(before) + 1 + sizeof(behind) || !is_literal(*literal) ||
	    memcmp(c->at, before, sizeof(before)) || memcmp(literal + 1, behind, sizeof(behind)))
		return false;
	*out = (struct cfi_value){.how = CFI_PLT, .offset = *literal - DW_OP_lit0};
	return true;
}

/* DW_OP_bregN offset, for registers and offsets that a cfi_value holds. */
static bool read_register(struct cfi_cursor *c, struct cfi_value *out)
{
	uint64_t op = cfi_uint(c, 1);
	int64_t offset = cfi_sleb(c);

	if (c->bad || op < DW_OP_breg0 || op > DW_OP_breg16 || offset != (int32_t)offset)
		return false;
	*out = (struct cfi_value){
		.how = CFI_REG, .reg = (uint8_t)(op - DW_OP_breg0), .offset = (int32_t)offset};
	return true;
}

/* DW_OP_bregN 0, times eight, added to what there is. */
static bool read_index(struct cfi_cursor *c, struct cfi_value *v)
{
	static const uint8_t times_8[] = {DW_OP_lit8, DW_OP_mul, DW_OP_plus};
	struct cfi_cursor ahead = *c;
	struct cfi_value index;

	if (!read_register(&ahead, &index) || index.offset || cfi_left(&ahead) < sizeof(times_8) ||
	    memcmp(ahead.at, times_8, sizeof(times_8)))
		return false;
	cfi_skip(&ahead, sizeof(times_8));
	*c = ahead;
	v->how = CFI_AT_INDEX;
	v->index = index.reg;
	return true;
}

/* Nothing, or DW_OP_plus_uconst n. */
static bool read_addend(struct cfi_cursor *c, int32_t *out)
{
	uint64_t add;

	*out = 0;
	if (!cfi_left(c))
		return true;
	if (cfi_uint(c, 1) != DW_OP_plus_uconst)
		return false;
	add = cfi_uleb(c);
	*out = (int32_t)add;
	return !c->bad && !cfi_left(c) && add <= INT32_MAX;
}

/* A value that is none of the known forms. Sections are far below 2 GiB (cfi_section). */
static struct cfi_value make_other(enum cfi_how how, uint64_t at)
{
	return (struct cfi_value){.how = (uint8_t)how, .offset = (int32_t)at};
}

struct cfi_value cfi_expression_value(struct cfi_cursor c, uint64_t at)
{
	struct cfi_value v;

	if (is_plt(&c, &v))
		return v;
	if (!read_register(&c, &v))
		return make_other(CFI_EXPRESSION, at);
	if (!cfi_left(&c))
		return v;
	v.how = CFI_AT_REG;
	read_index(&c, &v);
	if (cfi_uint(&c, 1) == DW_OP_deref && read_addend(&c, &v.add))
		return v;
	return make_other(CFI_EXPRESSION, at);
}

struct cfi_value cfi_expression_place(struct cfi_cursor c, uint64_t at)
{
	struct cfi_value v;

	if (!read_register(&c, &v) || cfi_left(&c))
		return make_other(CFI_AT_EXPRESSION, at);
	v.how = CFI_AT_REG;
	return v;
}
