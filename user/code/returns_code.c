#include "code/returns_code.h"

#include <Zydis/Zydis.h>

#include "base/mem.h"
#include "code/insn.h"

/* --- effects on the stack --------------------------------------------------------------------- */

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

/* The instruction in the @n bytes at @at. False for what is none. */
static bool insn_stack(const uint8_t *at, size_t n, struct insn_stack *out)
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

/*
 * Code that keeps frame pointers pushes rbp for nothing else than to set up a frame; other code has
 * it for one register of many. Set-ups more than other pushes, in parts of 256 KiB: 124 to 390 in
 * V8's builtins (node 20). The highest lead from the start of a part to any place in it: 0 in musl
 * 1.2.3 (which ends 157 to 365 behind), Python, git, LLVM, GMP, nettle and dav1d, 1 in glibc and in
 * what gcc adds to every file, 2 in libstdc++. One of libgcrypt's four parts has 20: assembly that
 * does set up frames. Parts that lead are stepped by frame pointer, as all were without this.
 */
#define FRAME_POINTERS 4

/*
 * Runs of invalid instructions, or of zeros, for each 100 instructions: above this, bytes are data.
 * In code, over a part: 0.002 % in musl, up to 0.06 % elsewhere, 0.4 to 0.9 % if assembly has
 * constants between (libgcrypt, gnutls, a gap of GMP). In constants alone: 5 to 45 % (OpenSSL's
 * tables of curves: 16 %). Checked during the walk; checked at its end, 2 of LLVM's 225 parts would
 * count as data. No rows are inferred for data.
 */
#define DATA_PERCENT 2
#define DATA_LEAST   3

/* What it takes to decode an instruction. */
#define DECODE_STEPS 16

static bool is_push_rbp(const uint8_t *at, const struct insn *insn)
{
	return insn->bytes == 1 && *at == 0x55;
}

/* mov rsp, rbp, in both of its forms */
static bool is_set_up(const uint8_t *at, const struct insn *insn)
{
	return insn->bytes == 3 && at[0] == 0x48 &&
	       ((at[1] == 0x89 && at[2] == 0xe5) || (at[1] == 0x8b && at[2] == 0xec));
}

bool returns_code_tells(const uint8_t *bytes, size_t n, struct budget *budget)
{
	size_t n_all = 0, n_bad = 0;
	int set_ups = 0; /* more than other pushes */
	bool pushed = false, was_bad = false;

	for (size_t at = 0; at < n; n_all++) {
		struct insn insn = {.bytes = 1};
		const bool is_bad = !insn_read(bytes + at, n - at, 0, &insn) ||
				    (insn.bytes == 2 && !bytes[at] && !bytes[at + 1]);

		if (!budget_steps(budget, DECODE_STEPS))
			return false;
		n_bad += is_bad && !was_bad;
		was_bad = is_bad;
		if (n_bad > DATA_LEAST && n_bad * 100 > n_all * DATA_PERCENT)
			return false;
		if (pushed)
			set_ups += is_set_up(bytes + at, &insn) ? 1 : -1;
		if (set_ups >= FRAME_POINTERS)
			return false;
		pushed = is_push_rbp(bytes + at, &insn);
		at += insn.bytes;
	}
	return true;
}

/* --- instructions --------------------------------------------------------------------------- */

/* Where the code is taken to be loaded: not at 0, which stands for no address. */
#define BASE (UINT64_C(1) << 32)

static uint32_t place_of(const struct returns_code *c, uint64_t address)
{
	return address - BASE < c->n ? (uint32_t)(address - BASE) : RETURNS_NOWHERE;
}

/* A jump by a variable, as in stubs of the PLT: to another function. */
static bool is_by_variable(const uint8_t *at, size_t n)
{
	struct insn_value value;

	return insn_jump_value(at, n, &value) && value.source == INSN_FROM_MEMORY;
}

static bool read_one(struct returns_code *c, struct returns_step *s)
{
	const uint8_t *at = c->bytes + s->at;
	struct insn_stack stack;
	struct insn insn;

	if (!insn_read(at, c->n - s->at, BASE + s->at, &insn))
		return false;
	s->bytes = insn.bytes;
	s->kind = insn.kind;
	switch (insn.kind) {
	case INSN_CALL:
	case INSN_JUMP:
	case INSN_BRANCH:
		s->target = place_of(c, insn.target);
		return true;
	case INSN_INDIRECT:
		if (is_by_variable(at, insn.bytes))
			s->kind = INSN_RET;
		return true;
	case INSN_PLAIN:
		break;
	default:
		return true;
	}
	if (place_of(c, insn.takes) != RETURNS_NOWHERE)
		c->starts[place_of(c, insn.takes)] = 1;
	if (insn.frames && insn_stack(at, insn.bytes, &stack)) {
		s->stack = stack.kind;
		s->amount = stack.amount;
	}
	return true;
}

void returns_code_read(const uint8_t *bytes, size_t n, struct budget *budget,
		       struct returns_code *out)
{
	*out = (struct returns_code){.bytes = bytes, .n = n, .budget = budget};
	out->step_at = mem_zalloc(n, sizeof(*out->step_at));
	out->starts = mem_zalloc(n, 1);
	for (size_t at = 0; at < n && budget_steps(budget, DECODE_STEPS);) {
		struct returns_step s = {.at = (uint32_t)at, .target = RETURNS_NOWHERE};

		if (!read_one(out, &s)) {
			s.bytes = 1;
			s.kind = INSN_STOP;
		}
		if (s.kind == INSN_CALL && s.target != RETURNS_NOWHERE)
			out->starts[s.target] = 1;
		out->step_at[at] = (uint32_t)out->steps.n + 1;
		vec_push(&out->steps, s);
		at += s.bytes;
	}
}

void returns_code_release(struct returns_code *c)
{
	vec_release(&c->steps);
	free(c->step_at);
	free(c->starts);
}
