#include "elf/returns.h"

#include <errno.h>
#include <Zydis/Zydis.h>

#include "base/err.h"
#include "base/mem.h"
#include "elf/segments.h"

#define MAX_CODE (1u << 20)

/* Code around the part that is asked for: functions reach over its ends. */
#define BEFORE 256
#define BEHIND 8192

/* Frames are smaller: whatever is larger is no frame. */
#define MAX_FRAME (1 << 22)

/* Jumps back need a pass each, where one leads into the way of another. */
#define MAX_PASSES 16

/* What is known of the way from an instruction to the return. */
enum way {
	WAY_UNKNOWN, /* no way was found yet */
	WAY_RSP,     /* the CFA is rsp + cfa */
	WAY_RBP,     /* … rbp + cfa */
	WAY_NONE,    /* ways differ */
};

enum bp { BP_SAME, BP_AT_CFA, BP_LOST };

struct frame {
	uint16_t way; /* enum way */
	uint16_t bp;  /* enum bp: where the caller's rbp is */
	int32_t cfa, bp_offset;
};

/* The same, going forward: by both registers, as far as each is known. */
struct origin {
	bool reached, has_rsp, has_rbp;
	uint8_t bp;		/* enum bp */
	int32_t by_rsp, by_rbp; /* the CFA less the register */
	int32_t bp_offset;
};

enum kind {
	KIND_PLAIN,    /* goes on */
	KIND_ADD,      /* rsp += amount */
	KIND_PUSH_RBP, /* the same, with rbp there */
	KIND_POP_RBP,
	KIND_SAVE_RBP, /* to rsp + amount */
	KIND_LOAD_RBP, /* from there */
	KIND_LEAVE,
	KIND_FROM_RBP, /* rsp = rbp + amount */
	KIND_TO_RBP,   /* rbp = rsp + amount */
	KIND_SET_RSP,  /* to what is not known */
	KIND_SET_RBP,
	KIND_CALL,
	KIND_JUMP,
	KIND_BRANCH,
	KIND_RETURN,
	KIND_STOP,
	KIND_PADDING,
};

struct step {
	uint32_t at; /* in the code read */
	uint8_t bytes;
	uint8_t kind; /* enum kind */
	int32_t amount;
	uint32_t target;      /* in the code read; NOWHERE: outside */
	struct frame frame;   /* by the way to the return */
	struct origin origin; /* by the way from where the function starts */
};

#define NOWHERE UINT32_MAX

struct reading {
	uint8_t *code;
	uint64_t start; /* offset of code */
	size_t n;
	VEC(struct step) steps;
	uint32_t *step_at; /* of each byte: the step that starts there + 1, or 0 */
	uint8_t *starts;   /* of each byte: a function starts there */
};

/* --- instructions --------------------------------------------------------------------------- */

static bool is_register(const ZydisDecodedOperand *o, ZydisRegister r)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o->reg.value) == r;
}

static bool writes(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o, ZydisRegister r)
{
	for (uint8_t k = 0; k < i->operand_count; k++)
		if ((o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && is_register(&o[k], r))
			return true;
	return false;
}

/* A number, or a register and a number: the address of a memory operand without an index. */
static bool is_based(const ZydisDecodedOperand *o, ZydisRegister base)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == base &&
	       o->mem.index == ZYDIS_REGISTER_NONE &&
	       o->mem.disp.value == (int32_t)o->mem.disp.value;
}

static bool is_small(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       o->imm.value.s == (int32_t)o->imm.value.s && o->imm.value.s > INT32_MIN;
}

static void set(struct step *s, enum kind kind, int64_t amount)
{
	s->kind = (uint8_t)kind;
	s->amount = (int32_t)amount;
}

/* Instructions on rsp or rbp whose effect is known; false for others. */
static bool read_known(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
		       struct step *s)
{
	const bool to_rsp = is_register(&o[0], ZYDIS_REGISTER_RSP) && o[0].size == 64;
	const bool to_rbp = is_register(&o[0], ZYDIS_REGISTER_RBP) && o[0].size == 64;
	const bool of_rbp = is_register(&o[1], ZYDIS_REGISTER_RBP) && o[1].size == 64;

	if (i->mnemonic == ZYDIS_MNEMONIC_ADD && to_rsp && is_small(&o[1]))
		set(s, KIND_ADD, o[1].imm.value.s);
	else if (i->mnemonic == ZYDIS_MNEMONIC_SUB && to_rsp && is_small(&o[1]))
		set(s, KIND_ADD, -o[1].imm.value.s);
	else if (i->mnemonic == ZYDIS_MNEMONIC_LEA && to_rsp && is_based(&o[1], ZYDIS_REGISTER_RSP))
		set(s, KIND_ADD, o[1].mem.disp.value);
	else if (i->mnemonic == ZYDIS_MNEMONIC_LEA && to_rsp && is_based(&o[1], ZYDIS_REGISTER_RBP))
		set(s, KIND_FROM_RBP, o[1].mem.disp.value);
	else if (i->mnemonic == ZYDIS_MNEMONIC_LEA && to_rbp && is_based(&o[1], ZYDIS_REGISTER_RSP))
		set(s, KIND_TO_RBP, o[1].mem.disp.value);
	else if (i->mnemonic == ZYDIS_MNEMONIC_MOV && to_rsp && of_rbp)
		set(s, KIND_FROM_RBP, 0);
	else if (i->mnemonic == ZYDIS_MNEMONIC_MOV && to_rbp &&
		 is_register(&o[1], ZYDIS_REGISTER_RSP))
		set(s, KIND_TO_RBP, 0);
	else if (i->mnemonic == ZYDIS_MNEMONIC_MOV && of_rbp && is_based(&o[0], ZYDIS_REGISTER_RSP))
		set(s, KIND_SAVE_RBP, o[0].mem.disp.value);
	else if (i->mnemonic == ZYDIS_MNEMONIC_MOV && to_rbp && is_based(&o[1], ZYDIS_REGISTER_RSP))
		set(s, KIND_LOAD_RBP, o[1].mem.disp.value);
	else
		return false;
	return true;
}

static void read_pop(const ZydisDecodedOperand *o, int64_t bytes, struct step *s)
{
	const bool to_rbp = is_register(&o[0], ZYDIS_REGISTER_RBP);

	if (to_rbp && bytes == 8)
		set(s, KIND_POP_RBP, 8);
	else if (to_rbp || is_register(&o[0], ZYDIS_REGISTER_RSP))
		set(s, KIND_STOP, 0);
	else
		set(s, KIND_ADD, bytes);
}

static void read_stack(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
		       struct step *s)
{
	const int64_t bytes = i->operand_width / 8;

	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		set(s,
		    is_register(&o[0], ZYDIS_REGISTER_RBP) && bytes == 8 ? KIND_PUSH_RBP : KIND_ADD,
		    -bytes);
		return;
	case ZYDIS_MNEMONIC_PUSHFQ:
		set(s, KIND_ADD, -bytes);
		return;
	case ZYDIS_MNEMONIC_POPFQ:
		set(s, KIND_ADD, bytes);
		return;
	case ZYDIS_MNEMONIC_POP:
		read_pop(o, bytes, s);
		return;
	case ZYDIS_MNEMONIC_LEAVE:
		set(s, KIND_LEAVE, 0);
		return;
	case ZYDIS_MNEMONIC_ENTER:
		set(s, KIND_STOP, 0);
		return;
	default:
		break;
	}
	if (i->operand_count >= 2 && read_known(i, o, s))
		return;
	if (writes(i, o, ZYDIS_REGISTER_RSP))
		set(s, KIND_SET_RSP, 0);
	else if (writes(i, o, ZYDIS_REGISTER_RBP))
		set(s, KIND_SET_RBP, 0);
}

/* Where a jump or call by a distance leads. */
static uint32_t target_of(const struct reading *r, const struct step *s,
			  const ZydisDecodedOperand *o)
{
	int64_t to = (int64_t)s->at + s->bytes + o[0].imm.value.s;

	if (o[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !o[0].imm.is_relative || to < 0 ||
	    to >= (int64_t)r->n)
		return NOWHERE;
	return (uint32_t)to;
}

/* A jump by a variable, as in stubs of the PLT: to another function. */
static bool is_variable(const ZydisDecodedOperand *o)
{
	return o[0].type == ZYDIS_OPERAND_TYPE_MEMORY && o[0].mem.base == ZYDIS_REGISTER_RIP;
}

/* A function whose address is taken. */
static void note_address(struct reading *r, const ZydisDecodedInstruction *i,
			 const ZydisDecodedOperand *o, const struct step *s)
{
	int64_t to = (int64_t)s->at + s->bytes + o[1].mem.disp.value;

	if (i->mnemonic == ZYDIS_MNEMONIC_LEA && o[1].mem.base == ZYDIS_REGISTER_RIP && to >= 0 &&
	    to < (int64_t)r->n)
		r->starts[to] = 1;
}

static void read_way(const struct reading *r, const ZydisDecodedInstruction *i,
		     const ZydisDecodedOperand *o, struct step *s)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		s->kind = KIND_CALL;
		s->target = target_of(r, s, o);
		return;
	case ZYDIS_CATEGORY_RET:
		s->kind = i->mnemonic == ZYDIS_MNEMONIC_RET ? KIND_RETURN : KIND_STOP;
		return;
	case ZYDIS_CATEGORY_COND_BR:
		s->kind = KIND_BRANCH;
		s->target = target_of(r, s, o);
		return;
	case ZYDIS_CATEGORY_UNCOND_BR:
		s->kind = is_variable(o) ? KIND_RETURN : KIND_JUMP;
		s->target = target_of(r, s, o);
		return;
	default:
		break;
	}
	if (i->mnemonic == ZYDIS_MNEMONIC_HLT || i->mnemonic == ZYDIS_MNEMONIC_UD2 ||
	    i->mnemonic == ZYDIS_MNEMONIC_INT3)
		s->kind = KIND_STOP;
	else
		read_stack(i, o, s);
}

/* Whether it can be of interest: most instructions are told by their bytes not to write to rsp or
 * rbp, which saves half of the time. */
static bool may_matter(const ZydisDecodedInstruction *i)
{
	const uint8_t reg = i->raw.modrm.reg, rm = i->raw.modrm.rm;

	if (!(i->attributes & ZYDIS_ATTRIB_HAS_MODRM) || i->mnemonic == ZYDIS_MNEMONIC_LEA ||
	    i->meta.category == ZYDIS_CATEGORY_CALL || i->meta.category == ZYDIS_CATEGORY_PUSH ||
	    i->meta.category == ZYDIS_CATEGORY_POP || i->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		return true;
	/* A store of rbp has it for a source. */
	return reg == 4 || reg == 5 || (i->raw.modrm.mod == 3 && (rm == 4 || rm == 5));
}

static bool read_one(struct reading *r, const ZydisDecoder *decoder, struct step *s)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	ZydisDecoderContext context;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, &context, r->code + s->at,
							r->n - s->at, &i)))
		return false;
	s->bytes = i.length;
	s->kind = KIND_PLAIN;
	if (i.meta.category == ZYDIS_CATEGORY_NOP || i.meta.category == ZYDIS_CATEGORY_WIDENOP)
		s->kind = KIND_PADDING;
	else if (may_matter(&i)) {
		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeOperands(decoder, &context, &i, o, i.operand_count)))
			return false;
		read_way(r, &i, o, s);
		note_address(r, &i, o, s);
	}
	return true;
}

/* Every instruction, one behind the other; bytes that are none are passed over. */
static void read_all(struct reading *r)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < r->n;) {
		struct step s = {.at = (uint32_t)at, .target = NOWHERE};

		if (!read_one(r, &decoder, &s)) {
			s.bytes = 1;
			s.kind = KIND_STOP;
		}
		if (s.kind == KIND_CALL && s.target != NOWHERE)
			r->starts[s.target] = 1;
		r->step_at[at] = (uint32_t)r->steps.n + 1;
		vec_push(&r->steps, s);
		at += s.bytes;
	}
}

/* --- ways ----------------------------------------------------------------------------------- */

static const struct frame unknown = {.way = WAY_UNKNOWN}, none = {.way = WAY_NONE};
static const struct frame at_start = {.way = WAY_RSP, .cfa = 8};

static struct frame merge(struct frame a, struct frame b)
{
	if (a.way == WAY_UNKNOWN)
		return b;
	if (b.way == WAY_UNKNOWN || !memcmp(&a, &b, sizeof(a)))
		return a;
	return none;
}

static struct step *step_at(const struct reading *r, uint32_t at)
{
	return at < r->n && r->step_at[at] ? &r->steps.at[r->step_at[at] - 1] : NULL;
}

/* The instruction behind @s, where the code goes on; NULL where it does not. A call does not return
 * that nothing follows but padding or another function: calls are made with more on the stack than
 * the return address. */
static struct step *step_behind(const struct reading *r, const struct step *s)
{
	struct step *next = step_at(r, s->at + s->bytes);

	if (!next || s->kind != KIND_CALL)
		return next;
	if (next->kind == KIND_PADDING || next->kind == KIND_STOP || r->starts[next->at] ||
	    !memcmp(&next->frame, &at_start, sizeof(at_start)))
		return NULL;
	return next;
}

static struct frame frame_behind(const struct reading *r, const struct step *s)
{
	const struct step *next = step_behind(r, s);

	return next ? next->frame : unknown;
}

/* At the target of a jump. Functions that are called by others are jumped to in the place of a call
 * and a return. */
static struct frame frame_at(const struct reading *r, const struct step *s)
{
	const struct step *target = s->target == NOWHERE ? NULL : step_at(r, s->target);

	if (!target)
		return unknown;
	return r->starts[s->target] ? at_start : target->frame;
}

static struct frame moved(struct frame f, int64_t by)
{
	int64_t cfa = f.cfa + by;

	if (f.way == WAY_UNKNOWN || f.way == WAY_NONE)
		return f;
	if (cfa < -MAX_FRAME || cfa > MAX_FRAME)
		return none;
	f.cfa = (int32_t)cfa;
	return f;
}

/* The frame before the caller's rbp is read from @at: of the way's register, behind the move. */
static struct frame loaded(struct frame f, int32_t at)
{
	if ((f.way == WAY_RSP || f.way == WAY_RBP) && f.bp == BP_SAME) {
		f.bp = BP_AT_CFA;
		f.bp_offset = at - f.cfa;
	}
	return f;
}

/* The frame before the caller's rbp is written to @at of rsp. */
static struct frame saved(struct frame f, int32_t at)
{
	if (f.way == WAY_RSP && f.bp == BP_AT_CFA && f.bp_offset == at - f.cfa) {
		f.bp = BP_SAME;
		f.bp_offset = 0;
	}
	return f;
}

/* … and before rbp becomes something else. */
static struct frame overwritten(struct frame f)
{
	if (f.bp == BP_SAME)
		f.bp = BP_LOST;
	return f;
}

/* What holds before an instruction, from what holds behind it, @f. */
static struct frame before(const struct step *s, struct frame f)
{
	if (f.way != WAY_RSP && f.way != WAY_RBP)
		return f;
	switch (s->kind) {
	case KIND_ADD:
		return f.way == WAY_RSP ? moved(f, s->amount) : f;
	case KIND_PUSH_RBP:
		return f.way == WAY_RSP ? moved(saved(f, 0), s->amount) : f;
	case KIND_POP_RBP:
		return f.way == WAY_RSP ? loaded(moved(f, 8), 0) : none;
	case KIND_SAVE_RBP:
		return saved(f, s->amount);
	case KIND_LOAD_RBP:
		return f.way == WAY_RSP ? loaded(f, s->amount) : none;
	case KIND_LEAVE:
		if (f.way != WAY_RSP)
			return none;
		f.way = WAY_RBP;
		return loaded(moved(f, 8), 0);
	case KIND_FROM_RBP:
		if (f.way != WAY_RSP)
			return f;
		f.way = WAY_RBP;
		return moved(f, s->amount);
	case KIND_TO_RBP:
		f = overwritten(f);
		if (f.way != WAY_RBP)
			return f;
		f.way = WAY_RSP;
		return moved(f, s->amount);
	case KIND_SET_RSP:
		return f.way == WAY_RSP ? none : f;
	case KIND_SET_RBP:
		return f.way == WAY_RBP ? none : overwritten(f);
	default:
		return f;
	}
}

static struct frame frame_of(const struct reading *r, const struct step *s)
{
	switch (s->kind) {
	case KIND_RETURN:
		return (struct frame){.way = WAY_RSP, .cfa = 8};
	case KIND_STOP:
		return unknown;
	case KIND_JUMP:
		return frame_at(r, s);
	case KIND_BRANCH:
		return merge(frame_at(r, s), frame_behind(r, s));
	default:
		return before(s, frame_behind(r, s));
	}
}

/* From the end to the start, again where jumps lead back: frames only ever become known, then none.
 */
static void find_frames(struct reading *r)
{
	bool changed = true;

	for (int pass = 0; changed && pass < MAX_PASSES; pass++) {
		changed = false;
		for (size_t i = r->steps.n; i-- > 0;) {
			struct step *s = &r->steps.at[i];
			struct frame f = merge(s->frame, frame_of(r, s));

			changed |= memcmp(&f, &s->frame, sizeof(f)) != 0;
			s->frame = f;
		}
	}
	/* What did not settle is not known. */
	for (size_t i = 0; changed && i < r->steps.n; i++)
		r->steps.at[i].frame = none;
}

/* --- ways from the start ---------------------------------------------------------------------- */

static struct origin lose_bp(struct origin o)
{
	if (o.bp == BP_SAME)
		o.bp = BP_LOST;
	return o;
}

/* rbp is read from @at: back from where it was kept, or something else. */
static struct origin load_bp(struct origin o, bool has_at, int32_t at)
{
	o.has_rbp = false;
	o.by_rbp = 0;
	if (o.bp != BP_AT_CFA || !has_at || o.bp_offset != at)
		return lose_bp(o);
	o.bp = BP_SAME;
	o.bp_offset = 0;
	return o;
}

static struct origin save_bp(struct origin o, int32_t at)
{
	if (o.has_rsp && o.bp == BP_SAME) {
		o.bp = BP_AT_CFA;
		o.bp_offset = at;
	}
	return o;
}

static struct origin set_rsp(struct origin o, bool known, int64_t by_rsp)
{
	o.has_rsp = known && by_rsp >= -MAX_FRAME && by_rsp <= MAX_FRAME;
	o.by_rsp = o.has_rsp ? (int32_t)by_rsp : 0;
	return o;
}

static struct origin set_rbp(struct origin o, bool known, int64_t by_rbp)
{
	o = lose_bp(o);
	o.has_rbp = known && by_rbp >= -MAX_FRAME && by_rbp <= MAX_FRAME;
	o.by_rbp = o.has_rbp ? (int32_t)by_rbp : 0;
	return o;
}

/* What holds behind an instruction, from what holds before it, @o. */
static struct origin after(const struct step *s, struct origin o)
{
	switch (s->kind) {
	case KIND_ADD:
		return set_rsp(o, o.has_rsp, (int64_t)o.by_rsp - s->amount);
	case KIND_PUSH_RBP:
		o = set_rsp(o, o.has_rsp, (int64_t)o.by_rsp + 8);
		return save_bp(o, -o.by_rsp);
	case KIND_POP_RBP:
		o = load_bp(o, o.has_rsp, -o.by_rsp);
		return set_rsp(o, o.has_rsp, (int64_t)o.by_rsp - 8);
	case KIND_SAVE_RBP:
		return save_bp(o, s->amount - o.by_rsp);
	case KIND_LOAD_RBP:
		return load_bp(o, o.has_rsp, s->amount - o.by_rsp);
	case KIND_LEAVE:
		o = set_rsp(o, o.has_rbp, (int64_t)o.by_rbp - 8);
		return load_bp(o, o.has_rsp, -o.by_rsp - 8);
	case KIND_FROM_RBP:
		return set_rsp(o, o.has_rbp, (int64_t)o.by_rbp - s->amount);
	case KIND_TO_RBP:
		return set_rbp(o, o.has_rsp, (int64_t)o.by_rsp - s->amount);
	case KIND_SET_RSP:
		return set_rsp(o, false, 0);
	case KIND_SET_RBP:
		return set_rbp(o, false, 0);
	default:
		return o;
	}
}

/* What both say. */
static struct origin both(const struct origin *a, const struct origin *b)
{
	struct origin o = *a;

	if (!a->reached || !b->reached)
		return a->reached ? *a : *b;
	if (!b->has_rsp || b->by_rsp != a->by_rsp)
		o = set_rsp(o, false, 0);
	if (!b->has_rbp || b->by_rbp != a->by_rbp) {
		o.has_rbp = false;
		o.by_rbp = 0;
	}
	if (b->bp != a->bp || b->bp_offset != a->bp_offset) {
		o.bp = BP_LOST;
		o.bp_offset = 0;
	}
	return o;
}

/* True when that changed what is known there. */
static bool reach(struct reading *r, struct step *s, const struct origin *o)
{
	struct origin now;

	if (!s || r->starts[s->at])
		return false;
	now = both(&s->origin, o);
	if (!memcmp(&now, &s->origin, sizeof(now)))
		return false;
	s->origin = now;
	return true;
}

static bool spread_one(struct reading *r, const struct step *s)
{
	const struct origin o = after(s, s->origin);
	bool changed = false;

	if (s->kind == KIND_RETURN || s->kind == KIND_STOP)
		return false;
	if (s->kind == KIND_JUMP || s->kind == KIND_BRANCH)
		changed = s->target != NOWHERE && reach(r, step_at(r, s->target), &o);
	if (s->kind != KIND_JUMP)
		changed |= reach(r, step_behind(r, s), &o);
	return changed;
}

static void find_origins(struct reading *r)
{
	bool changed = true;

	for (size_t i = 0; i < r->steps.n; i++)
		if (r->starts[r->steps.at[i].at])
			r->steps.at[i].origin =
				(struct origin){.reached = true, .has_rsp = true, .by_rsp = 8};
	for (int pass = 0; changed && pass < MAX_PASSES; pass++) {
		changed = false;
		for (size_t i = 0; i < r->steps.n; i++)
			if (r->steps.at[i].origin.reached)
				changed |= spread_one(r, &r->steps.at[i]);
	}
	for (size_t i = 0; changed && i < r->steps.n; i++)
		r->steps.at[i].origin.reached = false;
}

/* What the ways from the start tell, unless those to the return tell otherwise. */
static struct frame agreed(const struct step *s)
{
	const struct origin *o = &s->origin;
	struct frame f = {.way = o->has_rsp ? WAY_RSP : WAY_RBP,
			  .bp = o->bp,
			  .cfa = o->has_rsp ? o->by_rsp : o->by_rbp,
			  .bp_offset = o->bp_offset};

	if (!o->reached || (!o->has_rsp && !o->has_rbp) ||
	    (s->frame.way == WAY_RSP && o->has_rsp && s->frame.cfa != o->by_rsp) ||
	    (s->frame.way == WAY_RBP && o->has_rbp && s->frame.cfa != o->by_rbp))
		return none;
	return f;
}

/* --- rows ----------------------------------------------------------------------------------- */

static struct cfi_row row_of(const struct frame *f, uint64_t offset)
{
	struct cfi_row row = {.offset = offset};

	if ((f->way != WAY_RSP && f->way != WAY_RBP) || f->cfa < (f->way == WAY_RSP ? 8 : 16))
		return row;
	row.cfa = (struct cfi_value){
		.how = CFI_REG, .reg = f->way == WAY_RSP ? CFI_RSP : CFI_RBP, .offset = f->cfa};
	row.ra = (struct cfi_value){.how = CFI_AT_CFA, .offset = -8};
	if (f->bp == BP_AT_CFA)
		row.bp = (struct cfi_value){.how = CFI_AT_CFA, .offset = f->bp_offset};
	else
		row.bp.how = f->bp == BP_SAME ? CFI_SAME : CFI_UNDEFINED;
	return row;
}

static int tell_rows(const struct reading *r, uint64_t from, uint64_t to, cfi_row_fn *row,
		     void *context)
{
	struct cfi_row last = {0};
	bool told = false;
	int rc = 0;

	for (size_t i = 0; i < r->steps.n && rc >= 0; i++) {
		const struct step *s = &r->steps.at[i];
		const struct frame f = agreed(s);
		struct cfi_row now = row_of(&f, r->start + s->at);

		if (now.offset >= to)
			break;
		if (now.offset + s->bytes <= from)
			continue;
		now.offset = now.offset < from ? from : now.offset;
		if (told && !memcmp(&now.cfa, &last.cfa, sizeof(now.cfa)) &&
		    !memcmp(&now.bp, &last.bp, sizeof(now.bp)))
			continue;
		told = true;
		last = now;
		rc = row(context, &now);
	}
	if (rc >= 0 && r->start + r->n < to)
		rc = row(context, &(struct cfi_row){.offset = r->start + r->n});
	return rc;
}

/* --- the file ------------------------------------------------------------------------------- */

#define MAX_SYMBOLS (1u << 18)

struct returns {
	const struct elffile *file;
	VEC(uint64_t) exports; /* offsets of functions, ascending */
	bool has_exports;
};

struct returns *returns_new(const struct elffile *f)
{
	struct returns *x = mem_zalloc(1, sizeof(*x));

	x->file = f;
	return x;
}

void returns_free(struct returns *x)
{
	if (x)
		vec_release(&x->exports);
	free(x);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Functions that others may call: those that are called here are found by that. */
static void read_exports(struct returns *x)
{
	_free_ Elf64_Sym *symbols = NULL;
	Elf64_Shdr h;
	uint64_t offset;
	size_t n;

	x->has_exports = true;
	if (elffile_section(x->file, ".dynsym", &h) || h.sh_size > x->file->bytes ||
	    h.sh_size / sizeof(*symbols) > MAX_SYMBOLS)
		return;
	n = h.sh_size / sizeof(*symbols);
	symbols = mem_zalloc(n, sizeof(*symbols));
	if (elffile_read(x->file, h.sh_offset, symbols, n * sizeof(*symbols)))
		return;
	for (size_t i = 0; i < n; i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    segments_offset(x->file, symbols[i].st_value, &offset))
			vec_push(&x->exports, offset);
	if (x->exports.n)
		qsort(x->exports.at, x->exports.n, sizeof(*x->exports.at), ascending);
}

static void mark_exports(const struct returns *x, struct reading *r)
{
	size_t low = 0, high = x->exports.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (x->exports.at[mid] < r->start)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < x->exports.n && x->exports.at[low] - r->start < r->n; low++)
		r->starts[x->exports.at[low] - r->start] = 1;
}

/* The code of the part, and around it, as far as its segment goes. */
static int read_code(const struct elffile *f, const struct returns_part *part, struct reading *r)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];
		const uint64_t before = part->cut_before ? BEFORE : 0;
		uint64_t left, n;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || part->from < p->p_offset ||
		    part->from - p->p_offset >= p->p_filesz)
			continue;
		r->start = part->from - p->p_offset > before ? part->from - before : p->p_offset;
		left = p->p_filesz - (r->start - p->p_offset);
		n = part->to - r->start + (part->cut_behind ? BEHIND : 0);
		r->n = n < left ? n : left;
		r->code = mem_zalloc(r->n, 1);
		return elffile_read(f, r->start, r->code, r->n);
	}
	return -EINVAL;
}

static void follow(struct reading *r)
{
	read_all(r);
	find_frames(r);
	find_origins(r);
}

int returns_rows(struct returns *x, const struct returns_part *part, cfi_row_fn *row, void *context)
{
	const struct elffile *f = x->file;
	struct reading r = {0};
	int rc;

	if (part->from >= part->to || part->to - part->from > MAX_CODE || !f->is_64 ||
	    f->machine != EM_X86_64 || read_code(f, part, &r)) {
		free(r.code);
		return row(context, &(struct cfi_row){.offset = part->from});
	}
	if (!x->has_exports)
		read_exports(x);
	r.step_at = mem_zalloc(r.n, sizeof(*r.step_at));
	r.starts = mem_zalloc(r.n, 1);
	mark_exports(x, &r);
	follow(&r);
	rc = tell_rows(&r, part->from, part->to, row, context);
	free(r.code);
	free(r.step_at);
	free(r.starts);
	vec_release(&r.steps);
	return rc;
}
