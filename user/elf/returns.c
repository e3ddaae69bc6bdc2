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
	uint32_t target; /* in the code read; NOWHERE: outside */
	struct frame frame;
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
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		s->kind = KIND_PADDING;
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

/* Every instruction, one behind the other; bytes that are none are passed over. */
static void read_all(struct reading *r)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < r->n;) {
		struct step s = {
			.at = (uint32_t)at, .bytes = 1, .kind = KIND_STOP, .target = NOWHERE};

		if (ZYAN_SUCCESS(
			    ZydisDecoderDecodeFull(&decoder, r->code + at, r->n - at, &i, o))) {
			s.bytes = i.length;
			s.kind = KIND_PLAIN;
			read_way(r, &i, o, &s);
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

static const struct step *step_at(const struct reading *r, uint32_t at)
{
	return at < r->n && r->step_at[at] ? &r->steps.at[r->step_at[at] - 1] : NULL;
}

/* Of the instruction behind @s. A call that nothing follows but padding, or another function, does
 * not return. */
static struct frame frame_behind(const struct reading *r, const struct step *s)
{
	const struct step *next = step_at(r, s->at + s->bytes);

	if (!next || (s->kind == KIND_CALL && (next->kind == KIND_PADDING ||
					       next->kind == KIND_STOP || r->starts[next->at])))
		return unknown;
	return next->frame;
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

/* Where a function starts nothing is on the stack but the return address: a function that comes to
 * another result was misread. */
static void check_starts(struct reading *r)
{
	bool good = true;

	for (size_t i = 0; i < r->steps.n; i++) {
		struct step *s = &r->steps.at[i];

		if (r->starts[s->at])
			good = s->frame.way == WAY_UNKNOWN ||
			       !memcmp(&s->frame, &at_start, sizeof(at_start));
		if (!good)
			s->frame = none;
	}
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
	struct cfi_row last = {.offset = from};
	bool told = false;
	int rc = 0;

	for (size_t i = 0; i < r->steps.n && rc >= 0; i++) {
		const struct step *s = &r->steps.at[i];
		struct cfi_row now = row_of(&s->frame, r->start + s->at);

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
	return rc < 0 || told ? rc : row(context, &last);
}

/* The code around [@from, @to) as far as its segment goes. */
static int read_code(const struct elffile *f, uint64_t from, uint64_t to, struct reading *r)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];
		uint64_t end;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || from < p->p_offset ||
		    from - p->p_offset >= p->p_filesz || p->p_filesz > UINT64_MAX - p->p_offset)
			continue;
		end = p->p_offset + p->p_filesz;
		r->start = from - p->p_offset > BEFORE ? from - BEFORE : p->p_offset;
		r->n = (end - to > BEHIND && to < end ? to + BEHIND : end) - r->start;
		r->code = mem_zalloc(r->n, 1);
		return elffile_read(f, r->start, r->code, r->n);
	}
	return -EINVAL;
}

#define MAX_SYMBOLS (1u << 16)

/* Functions that others may call: those that are called here are found by that. */
static void find_exports(const struct elffile *f, struct reading *r)
{
	_free_ Elf64_Sym *symbols = NULL;
	Elf64_Shdr h;
	size_t n;

	if (elffile_section(f, ".dynsym", &h) || h.sh_size > MAX_SYMBOLS * sizeof(*symbols))
		return;
	n = h.sh_size / sizeof(*symbols);
	symbols = mem_zalloc(n, sizeof(*symbols));
	if (elffile_read(f, h.sh_offset, symbols, n * sizeof(*symbols)))
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t offset;

		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    segments_offset(f, symbols[i].st_value, &offset) && offset - r->start < r->n)
			r->starts[offset - r->start] = 1;
	}
}

int returns_rows(const struct elffile *f, uint64_t from, uint64_t to, cfi_row_fn *row,
		 void *context)
{
	struct cfi_row nothing = {.offset = from};
	struct reading r = {0};
	int rc;

	if (from >= to || to - from > MAX_CODE || !f->is_64 || f->machine != EM_X86_64 ||
	    read_code(f, from, to, &r)) {
		free(r.code);
		return row(context, &nothing);
	}
	r.step_at = mem_zalloc(r.n, sizeof(*r.step_at));
	r.starts = mem_zalloc(r.n, 1);
	find_exports(f, &r);
	read_all(&r);
	find_frames(&r);
	check_starts(&r);
	rc = tell_rows(&r, from, to, row, context);
	free(r.code);
	free(r.step_at);
	free(r.starts);
	vec_release(&r.steps);
	return rc;
}
