#include "code/insn.h"

#include <Zydis/Zydis.h>
#include <string.h>

/* Initialising one costs less than decoding an instruction. */
static ZydisDecoder decoder_of(bool minimal)
{
	ZydisDecoder d;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (minimal)
		ZydisDecoderEnableMode(&d, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	return d;
}

static bool has_prefix(const ZydisDecodedInstruction *i, uint8_t prefix)
{
	for (size_t k = 0; k < i->raw.prefix_count; k++) {
		if (i->raw.prefixes[k].value == prefix)
			return true;
	}
	return false;
}

/* --- where it goes -------------------------------------------------------------------------- */

static bool is_group_5(const ZydisDecodedInstruction *i, uint8_t reg)
{
	return i->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	       i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i->opcode == 0xff &&
	       i->raw.modrm.reg == reg;
}

static enum insn_kind kind_of(const ZydisDecodedInstruction *i)
{
	const bool relative = i->raw.imm[0].is_relative;

	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
		return INSN_NOP;
	case ZYDIS_MNEMONIC_CALL:
		return INSN_CALL;
	case ZYDIS_MNEMONIC_JMP:
		return relative ? INSN_JUMP : INSN_INDIRECT;
	case ZYDIS_MNEMONIC_RET:
		return INSN_RET;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
		return INSN_STOP;
	case ZYDIS_MNEMONIC_XBEGIN:
		return INSN_PLAIN; /* its relative target is where an abort goes */
	default:
		return relative ? INSN_BRANCH : INSN_PLAIN;
	}
}

static uint8_t condition_of(const ZydisDecodedInstruction *i)
{
	const bool is_short =
		i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (i->opcode & 0xf0) == 0x70;
	const bool is_near = i->opcode_map == ZYDIS_OPCODE_MAP_0F && (i->opcode & 0xf0) == 0x80;

	return is_short || is_near ? i->opcode & 0x0f : INSN_ODD_CONDITION;
}

/* --- what a probe does to it ---------------------------------------------------------------- */

/* Those that the kernel refuses, or steps in a way that shows (flags pushed with TF in them,
 * repeats that are hit at each turn), or that nobody should step. */
static bool is_unfit_one_byte(const ZydisDecodedInstruction *i)
{
	switch (i->opcode) {
	case 0x6c ... 0x6f: /* ins, outs */
	case 0x8e:	    /* mov to a segment register */
	case 0x9c ... 0x9d: /* pushf, popf */
	case 0xca ... 0xcf: /* far returns, interrupts */
	case 0xe4 ... 0xe7: /* in, out */
	case 0xec ... 0xef:
	case 0xf1 ... 0xf4:
	case 0xfa ... 0xfb: /* cli, sti */
		return true;
	case 0xa4 ... 0xa7: /* strings */
	case 0xaa ... 0xaf:
		return has_prefix(i, 0xf2) || has_prefix(i, 0xf3);
	case 0xc6 ... 0xc7: /* else xabort, xbegin */
		return i->raw.modrm.reg != 0;
	case 0xff: /* else far calls and jumps */
		return i->raw.modrm.reg == 3 || i->raw.modrm.reg == 5;
	default:
		return false;
	}
}

static bool is_unfit_two_byte(const ZydisDecodedInstruction *i)
{
	switch (i->opcode) {
	case 0x00 ... 0x0c: /* system instructions, ud2 */
	case 0x20 ... 0x23: /* control and debug registers */
	case 0x30:	    /* wrmsr */
	case 0x32 ... 0x37:
	case 0x78 ... 0x79:
	case 0xb9: /* ud1 */
	case 0xff: /* ud0 */
		return true;
	default:
		return false;
	}
}

static bool is_unfit(const ZydisDecodedInstruction *i)
{
	static const uint8_t refused[] = {0x26, 0x2e, 0x36, 0x3e, 0xf0};

	/* The kernel takes the opcode behind a VEX prefix for that of an instruction without:
	 * "emulates" vpor as a jump, vzeroupper as another, or refuses. */
	if (i->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return true;
	for (size_t k = 0; k < sizeof(refused); k++) {
		if (has_prefix(i, refused[k]))
			return true;
	}
	if (i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
		return is_unfit_one_byte(i);
	return i->opcode_map == ZYDIS_OPCODE_MAP_0F && is_unfit_two_byte(i);
}

/* As the kernel's own x86_nops, which it knows by their bytes. */
static bool is_plain_long_nop(const uint8_t *at, size_t n)
{
	static const uint8_t nops[][8] = {
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};

	return n >= 3 && n <= 8 && !memcmp(at, nops[n - 3], n);
}

static enum insn_probe probe_of_nop(const ZydisDecodedInstruction *i, const uint8_t *at)
{
	if (i->length == 5)
		return INSN_NOP5;
	if (i->opcode == 0x90)
		return INSN_EMULATED;
	return is_plain_long_nop(at, i->length) ? INSN_LONG_NOP : INSN_STEPPED;
}

static enum insn_probe probe_of(const ZydisDecodedInstruction *i, const uint8_t *at)
{
	const bool one_byte = i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	const bool two_byte = i->opcode_map == ZYDIS_OPCODE_MAP_0F;

	if (is_unfit(i))
		return INSN_REFUSED;
	/* Opcode 90 with REX.B exchanges registers, which the kernel forgets. */
	if (one_byte && i->opcode == 0x90)
		return i->mnemonic == ZYDIS_MNEMONIC_XCHG ? INSN_REFUSED : probe_of_nop(i, at);
	if (two_byte && i->opcode >= 0x18 && i->opcode <= 0x1f)
		return probe_of_nop(i, at);
	if ((one_byte && (i->opcode == 0xe8 || i->opcode == 0xe9 || i->opcode == 0xeb ||
			  (i->opcode & 0xf0) == 0x70)) ||
	    (two_byte && (i->opcode & 0xf0) == 0x80))
		return has_prefix(i, 0x66) ? INSN_REFUSED : INSN_EMULATED;
	if (one_byte && (i->opcode & 0xf8) == 0x50 &&
	    (i->length == 1 || (i->length == 2 && at[0] == 0x41)))
		return INSN_EMULATED;
	return INSN_STEPPED;
}

/* --- what it does to the stack -------------------------------------------------------------- */

/* A displacement from rsp or rbp, without an index. Nops have operands but do not use them. */
static void find_base(const ZydisDecodedInstruction *i, struct insn *out)
{
	const uint8_t mod = i->raw.modrm.mod, rm = i->raw.modrm.rm;
	const bool extended = i->raw.rex.B;

	if (!(i->attributes & ZYDIS_ATTRIB_HAS_MODRM) || mod == 3 || extended ||
	    out->kind == INSN_NOP || has_prefix(i, 0x64) || has_prefix(i, 0x65))
		return;
	if (rm == 4) {
		if (i->raw.sib.index != 4 || i->raw.rex.X)
			return;
		if (i->raw.sib.base == 4)
			out->base = INSN_BASE_RSP;
		else if (i->raw.sib.base == 5 && mod)
			out->base = INSN_BASE_RBP;
	} else if (rm == 5 && mod) {
		out->base = INSN_BASE_RBP;
	}
	out->displacement = (int32_t)i->raw.disp.value;
}

static bool pops(const ZydisDecodedInstruction *i)
{
	return i->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	       i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       ((i->opcode & 0xf8) == 0x58 || i->opcode == 0x8f);
}

/* What its bytes do not exclude: most instructions have neither register for an operand. */
static bool may_frame(const ZydisDecodedInstruction *i)
{
	const uint8_t reg = i->raw.modrm.reg, rm = i->raw.modrm.rm;

	if (!(i->attributes & ZYDIS_ATTRIB_HAS_MODRM))
		return true;
	/* push and pop of memory; those whose destination a VEX prefix names */
	if (i->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? i->opcode == 0xff || pops(i)
							     : i->opcode >= 0xf0)
		return true;
	return reg == 4 || reg == 5 || (i->raw.modrm.mod == 3 && (rm == 4 || rm == 5));
}

/* A memory operand at a distance from the next instruction. */
static bool is_beside_rip(const ZydisDecodedInstruction *i)
{
	return i->attributes & ZYDIS_ATTRIB_HAS_MODRM && i->raw.modrm.mod == 0 &&
	       i->raw.modrm.rm == 5;
}

static void find_beside_rip(const ZydisDecodedInstruction *i, uint64_t next, struct insn *out)
{
	const uint64_t place = next + (uint64_t)i->raw.disp.value;

	if (!is_beside_rip(i))
		return;
	if (i->mnemonic == ZYDIS_MNEMONIC_LEA)
		out->takes = place;
	else
		out->variable = place;
}

bool insn_read(const uint8_t *at, size_t n, uint64_t address, struct insn *out)
{
	const ZydisDecoder decoder = decoder_of(true);
	ZydisDecodedInstruction i;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, at, n, &i)))
		return false;
	*out = (struct insn){.bytes = i.length, .kind = (uint8_t)kind_of(&i)};
	out->probe = (uint8_t)probe_of(&i, at);
	if (out->kind == INSN_BRANCH)
		out->condition = condition_of(&i);
	if (i.raw.imm[0].is_relative)
		out->target = address + i.length + (uint64_t)i.raw.imm[0].value.s;
	out->notrack = is_group_5(&i, 4) && has_prefix(&i, 0x3e);
	find_beside_rip(&i, address + i.length, out);
	out->pops = pops(&i);
	out->frames = may_frame(&i);
	find_base(&i, out);
	return true;
}

/* --- in full -------------------------------------------------------------------------------- */

struct full {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool read_full(const uint8_t *at, size_t n, struct full *out)
{
	const ZydisDecoder decoder = decoder_of(false);

	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, n, &out->insn, out->operands));
}

static ZydisRegister whole(ZydisRegister r)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
}

/* The bit of an argument's register; 0: it is none. */
static uint32_t argument_of(ZydisRegister r)
{
	static const ZydisRegister registers[] = {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI,
						  ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX,
						  ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9};

	for (unsigned int i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (whole(r) == registers[i])
			return 1u << i;
	return 0;
}

bool insn_effects(const uint8_t *at, size_t n, struct insn_effects *out)
{
	struct full f;

	if (!read_full(at, n, &f))
		return false;
	*out = (struct insn_effects){0};
	for (size_t k = 0; k < f.insn.operand_count; k++) {
		const ZydisDecodedOperand *o = &f.operands[k];

		if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    whole(o->reg.value) == ZYDIS_REGISTER_RSP)
			out->moves_stack = true;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			out->arguments |= argument_of(o->reg.value);
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			out->writes = true;
	}
	out->lingers = f.insn.mnemonic == ZYDIS_MNEMONIC_SYSCALL ||
		       f.insn.mnemonic == ZYDIS_MNEMONIC_XBEGIN ||
		       (f.insn.attributes &
			(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
	return true;
}

static void value_of(const ZydisDecodedOperand *o, struct insn_value *out)
{
	*out = (struct insn_value){.source = INSN_FROM_OTHER};
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		out->source = INSN_FROM_REGISTER;
		out->number = (int16_t)whole(o->reg.value);
	} else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		const bool indexed = o->mem.index != ZYDIS_REGISTER_NONE;

		out->source = indexed ? INSN_FROM_TABLE : INSN_FROM_MEMORY;
		out->has_address =
			indexed && o->mem.base == ZYDIS_REGISTER_NONE && o->mem.scale == 8;
		out->address = (uint64_t)o->mem.disp.value;
	}
}

bool insn_jump_value(const uint8_t *at, size_t n, struct insn_value *out)
{
	struct full f;

	if (!read_full(at, n, &f) || !f.insn.operand_count)
		return false;
	value_of(&f.operands[0], out);
	return true;
}

static void sum_of(ZydisRegister a, ZydisRegister b, struct insn_value *out)
{
	*out = (struct insn_value){
		.source = INSN_FROM_SUM, .number = (int16_t)whole(a), .other = (int16_t)whole(b)};
}

/* Of two registers; or of one and a variable, which is as good as that. */
static void added_value(const ZydisDecodedOperand *to, const ZydisDecodedOperand *o,
			struct insn_value *out)
{
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
		sum_of(to->reg.value, o->reg.value, out);
	else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.index == ZYDIS_REGISTER_NONE)
		out->source = INSN_FROM_MEMORY;
}

static void lea_value(const ZydisDecodedOperand *o, struct insn_value *out)
{
	if (o->mem.base == ZYDIS_REGISTER_RIP)
		out->source = INSN_FROM_CODE;
	else if (o->mem.base != ZYDIS_REGISTER_NONE && o->mem.index != ZYDIS_REGISTER_NONE &&
		 o->mem.scale == 1 && !o->mem.disp.value)
		sum_of(o->mem.base, o->mem.index, out);
}

static void written_value(const struct full *f, int16_t number, struct insn_value *out)
{
	*out = (struct insn_value){.source = INSN_FROM_OTHER};
	switch (f->insn.mnemonic) {
	case ZYDIS_MNEMONIC_XOR: /* as C libraries guard pointers to functions */
	case ZYDIS_MNEMONIC_ROR:
		*out = (struct insn_value){.source = INSN_FROM_REGISTER, .number = number};
		break;
	case ZYDIS_MNEMONIC_MOV:
		value_of(&f->operands[1], out);
		break;
	case ZYDIS_MNEMONIC_MOVSXD:
		if (f->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
			out->source = INSN_FROM_DISTANCE;
		break;
	case ZYDIS_MNEMONIC_ADD:
		added_value(&f->operands[0], &f->operands[1], out);
		break;
	case ZYDIS_MNEMONIC_LEA:
		lea_value(&f->operands[1], out);
		break;
	default:
		break;
	}
}

bool insn_writes(const uint8_t *at, size_t n, int16_t number, struct insn_value *out)
{
	struct full f;

	if (!read_full(at, n, &f))
		return false;
	for (size_t k = 0; k < f.insn.operand_count; k++) {
		const ZydisDecodedOperand *o = &f.operands[k];

		if (o->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		    (int16_t)whole(o->reg.value) != number)
			continue;
		written_value(&f, number, out);
		return true;
	}
	return false;
}
