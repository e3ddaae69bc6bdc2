#include "elf/cfi_expression.h"

#include <dwarf.h>

static const struct cfi_value other = {.how = CFI_OTHER};

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

/* Nothing, or DW_OP_plus_uconst n. */
static bool read_addend(struct cfi_cursor *c, int16_t *out)
{
	uint64_t add;

	*out = 0;
	if (!cfi_left(c))
		return true;
	if (cfi_uint(c, 1) != DW_OP_plus_uconst)
		return false;
	add = cfi_uleb(c);
	*out = (int16_t)add;
	return !c->bad && !cfi_left(c) && add <= INT16_MAX;
}

struct cfi_value cfi_expression_value(struct cfi_cursor c)
{
	struct cfi_value v;

	if (is_plt(&c, &v))
		return v;
	if (!read_register(&c, &v))
		return other;
	if (!cfi_left(&c))
		return v;
	v.how = CFI_AT_REG;
	return cfi_uint(&c, 1) == DW_OP_deref && read_addend(&c, &v.add) ? v : other;
}

struct cfi_value cfi_expression_place(struct cfi_cursor c)
{
	struct cfi_value v;

	if (!read_register(&c, &v) || cfi_left(&c))
		return other;
	v.how = CFI_AT_REG;
	return v;
}
