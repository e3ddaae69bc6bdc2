/* What libdw says of a place in code, in the terms of the unwind tables. */
#ifndef CFI_JUDGE_H
#define CFI_JUDGE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sample/table.h"

static inline bool judge_base(const Dwarf_Op *op, uint8_t *reg, int64_t *offset)
{
	if (op->atom == DW_OP_bregx) {
		*reg = (uint8_t)op->number;
		*offset = (int64_t)op->number2;
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*reg = (uint8_t)(op->atom - DW_OP_breg0);
		*offset = (int64_t)op->number;
	} else {
		return false;
	}
	return true;
}

static inline bool judge_is_plt(const Dwarf_Op *ops, size_t n)
{
	return n == 9 && ops[0].atom == DW_OP_breg7 && ops[0].number == 8 &&
	       ops[1].atom == DW_OP_breg16 && ops[2].atom == DW_OP_lit15 &&
	       ops[3].atom == DW_OP_and && ops[5].atom == DW_OP_ge && ops[6].atom == DW_OP_lit3 &&
	       ops[7].atom == DW_OP_shl && ops[8].atom == DW_OP_plus;
}

/* As in OpenSSL's bn_mul_mont: *(rsp + 8 + 8 * r9) + 8. */
static inline bool judge_is_index(const Dwarf_Op *ops, size_t n, struct table_rule *r)
{
	struct table_rule found = *r;
	int64_t offset, none;

	if (n != 7 || !judge_base(&ops[0], &found.reg, &offset) ||
	    !judge_base(&ops[1], &found.saved_reg, &none) || none || ops[2].atom != DW_OP_lit8 ||
	    ops[3].atom != DW_OP_mul || ops[4].atom != DW_OP_plus || ops[5].atom != DW_OP_deref ||
	    ops[6].atom != DW_OP_plus_uconst)
		return false;
	found.cfa_offset = (int)offset;
	found.cfa_add = (short)ops[6].number;
	*r = found;
	return true;
}

static inline void judge_cfa(Dwarf_Frame *frame, struct table_rule *r)
{
	Dwarf_Op *ops;
	int64_t offset;
	size_t n;

	r->cfa = TABLE_CFA_OTHER;
	if (dwarf_frame_cfa(frame, &ops, &n))
		return;
	if (judge_is_plt(ops, n)) {
		r->cfa = TABLE_CFA_PLT;
		r->reg = 7;
		r->cfa_add = (short)(ops[4].atom - DW_OP_lit0);
	} else if (judge_is_index(ops, n, r)) {
		r->cfa = TABLE_CFA_INDEX;
	} else if (n >= 1 && n <= 3 && judge_base(&ops[0], &r->reg, &offset)) {
		r->cfa = n == 1 ? TABLE_CFA_REG : TABLE_CFA_DEREF;
		r->cfa_offset = (int)offset;
		r->cfa_add = n == 3 ? (short)ops[2].number : 0;
		if ((n > 1 && ops[1].atom != DW_OP_deref) ||
		    (n > 2 && ops[2].atom != DW_OP_plus_uconst))
			*r = (struct table_rule){.cfa = TABLE_CFA_OTHER};
	}
}

static inline uint8_t judge_saved(Dwarf_Frame *frame, int number, struct table_rule *r,
				  short *offset)
{
	Dwarf_Op mem[3], *ops;
	int64_t place;
	size_t n;

	if (dwarf_frame_register(frame, number, mem, &ops, &n))
		return TABLE_SAVED_OTHER;
	if (n == 0)
		return ops ? TABLE_UNDEFINED : TABLE_SAME;
	if (ops[0].atom == DW_OP_call_frame_cfa && n == 1)
		return TABLE_AT_CFA;
	if (ops[0].atom == DW_OP_call_frame_cfa && n == 2 && ops[1].atom == DW_OP_plus_uconst) {
		*offset = (short)ops[1].number;
		return TABLE_AT_CFA;
	}
	if (n == 1 && ops[0].atom == DW_OP_regx) {
		*offset = (short)ops[0].number;
		return TABLE_IN_REG;
	}
	/* An expression is given the CFA to start from, which those that count do not use. */
	if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	    judge_base(&ops[1], &r->saved_reg, &place)) {
		*offset = (short)place;
		return TABLE_AT_DEREF;
	}
	return TABLE_SAVED_OTHER;
}

/* False where libdw has no frame at @pc; else the rule, and where it ends. */
static inline bool judge_rule(Dwarf_CFI *cfi, uint64_t pc, struct table_rule *r, uint64_t *end)
{
	Dwarf_Frame *frame;
	Dwarf_Addr start, stop;
	bool signal;

	*r = (struct table_rule){0};
	if (dwarf_cfi_addrframe(cfi, pc, &frame))
		return false;
	dwarf_frame_info(frame, &start, &stop, &signal);
	*end = stop;
	judge_cfa(frame, r);
	r->ra = judge_saved(frame, 16, r, &r->ra_offset);
	r->bp = judge_saved(frame, 6, r, &r->bp_offset);
	r->flags = signal ? TABLE_SIGNAL : 0;
	free(frame);
	return true;
}

#endif
