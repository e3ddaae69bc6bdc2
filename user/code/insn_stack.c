#include "code/insn_stack.h"

#include <Zydis/Zydis.h>

#define RSP ZYDIS_REGISTER_RSP
#define RBP ZYDIS_REGISTER_RBP

static bool is_register(const ZydisDecodedOperand *o, ZydisRegister r)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == r;
}

/* All of @r or a part of it. */
static bool writes(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o, ZydisRegister r)
{
	for (uint8_t k = 0; k < i->operand_count; k++) {
		if ((o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
		    o[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o[k].reg.value) ==
			    r)
			return true;
	}
	return false;
}

/* A memory operand at a number from @base. */
static bool is_based(const ZydisDecodedOperand *o, ZydisRegister base)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == base &&
	       o->mem.index == ZYDIS_REGISTER_NONE &&
	       o->mem.disp.value == (int32_t)o->mem.disp.value;
}

static bool is_number(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       o->imm.value.s == (int32_t)o->imm.value.s && o->imm.value.s > INT32_MIN;
}

static struct insn_stack stack(enum insn_stack_kind kind, int64_t amount)
{
	return (struct insn_stack){.kind = (uint8_t)kind, .amount = (int32_t)amount};
}

static const struct insn_stack nothing;

static struct insn_stack mov(const ZydisDecodedOperand *o)
{
	if (is_register(&o[0], RSP) && is_register(&o[1], RBP))
		return stack(INSN_STACK_FROM_RBP, 0);
	if (is_register(&o[0], RBP) && is_register(&o[1], RSP))
		return stack(INSN_STACK_TO_RBP, 0);
	if (is_register(&o[1], RBP) && is_based(&o[0], RSP))
		return stack(INSN_STACK_SAVE_RBP, o[0].mem.disp.value);
	if (is_register(&o[0], RBP) && is_based(&o[1], RSP))
		return stack(INSN_STACK_LOAD_RBP, o[1].mem.disp.value);
	return nothing;
}

static struct insn_stack lea(const ZydisDecodedOperand *o)
{
	if (is_register(&o[0], RSP) && is_based(&o[1], RSP))
		return stack(INSN_STACK_ADD, o[1].mem.disp.value);
	if (is_register(&o[0], RSP) && is_based(&o[1], RBP))
		return stack(INSN_STACK_FROM_RBP, o[1].mem.disp.value);
	if (is_register(&o[0], RBP) && is_based(&o[1], RSP))
		return stack(INSN_STACK_TO_RBP, o[1].mem.disp.value);
	return nothing;
}

static struct insn_stack pop(const ZydisDecodedOperand *o, int64_t bytes)
{
	if (is_register(&o[0], RBP))
		return stack(INSN_STACK_POP_RBP, bytes);
	if (is_register(&o[0], RSP) || is_register(&o[0], ZYDIS_REGISTER_SP) ||
	    is_register(&o[0], ZYDIS_REGISTER_BP))
		return stack(INSN_STACK_SET_BOTH, 0);
	return stack(INSN_STACK_ADD, bytes);
}

/* Those whose effect is known; INSN_STACK_NONE for others. */
static struct insn_stack known(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	const int64_t bytes = i->operand_width / 8;

	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		return stack(is_register(&o[0], RBP) ? INSN_STACK_PUSH_RBP : INSN_STACK_ADD,
			     -bytes);
	case ZYDIS_MNEMONIC_POP:
		return pop(o, bytes);
	case ZYDIS_MNEMONIC_PUSHFQ:
		return stack(INSN_STACK_ADD, -bytes);
	case ZYDIS_MNEMONIC_POPFQ:
		return stack(INSN_STACK_ADD, bytes);
	case ZYDIS_MNEMONIC_LEAVE:
		return stack(INSN_STACK_LEAVE, 0);
	case ZYDIS_MNEMONIC_ENTER:
		return stack(INSN_STACK_SET_BOTH, 0);
	case ZYDIS_MNEMONIC_ADD:
		return is_register(&o[0], RSP) && is_number(&o[1])
			       ? stack(INSN_STACK_ADD, o[1].imm.value.s)
			       : nothing;
	case ZYDIS_MNEMONIC_SUB:
		return is_register(&o[0], RSP) && is_number(&o[1])
			       ? stack(INSN_STACK_ADD, -o[1].imm.value.s)
			       : nothing;
	case ZYDIS_MNEMONIC_MOV:
		return mov(o);
	case ZYDIS_MNEMONIC_LEA:
		return lea(o);
	default:
		return nothing;
	}
}

bool insn_stack(const uint8_t *at, size_t n, struct insn_stack *out)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, n, &i, o)))
		return false;
	*out = known(&i, o);
	if (out->kind)
		return true;
	if (writes(&i, o, RSP))
		out->kind = writes(&i, o, RBP) ? INSN_STACK_SET_BOTH : INSN_STACK_SET_RSP;
	else if (writes(&i, o, RBP))
		out->kind = INSN_STACK_SET_RBP;
	return true;
}
