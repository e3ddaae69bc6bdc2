#include "cfi/cfi_program.h"

#include <dwarf.h>

#include "cfi/cfi_cursor.h"

/* --- expressions --------------------------------------------------------------------------------
 *
 * Recognises the few that compilers, linkers and OpenSSL write into call frame information, so that
 * they need no evaluator. */

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

/* The value that @expression computes: CFI_REG, CFI_AT_REG, CFI_AT_INDEX, CFI_PLT or, for all
 * others, CFI_EXPRESSION. @at: offset in the section of the expression with its length. */
static struct cfi_value cfi_expression_value(struct cfi_cursor c, uint64_t at)
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

/* The value at the place that @expression computes: CFI_AT_REG or CFI_AT_EXPRESSION. */
static struct cfi_value cfi_expression_place(struct cfi_cursor c, uint64_t at)
{
	struct cfi_value v;

	if (!read_register(&c, &v) || cfi_left(&c))
		return make_other(CFI_AT_EXPRESSION, at);
	v.how = CFI_AT_REG;
	return v;
}

/* Compilers nest states once or twice. */
#define MAX_REMEMBERED 16

/* rbx, rbp, r12 to r15. */
static const uint8_t callee_saved[] = {3, CFI_RBP, 12, 13, 14, 15};

#define LOW_BITS 0x3f /* operand of the three instructions that are told by their high bits */

struct run {
	const struct cfi_code *code;
	struct cfi_cursor c;
	struct cfi_state now;
	uint64_t at;
	int rc; /* of the state function */
	unsigned int n_remembered;
	struct cfi_state remembered[MAX_REMEMBERED];
};

static struct cfi_value make_value(enum cfi_how how, uint64_t reg, int64_t offset)
{
	if (reg > CFI_RIP || offset != (int32_t)offset)
		return (struct cfi_value){.how = CFI_OTHER};
	return (struct cfi_value){
		.how = (uint8_t)how, .reg = (uint8_t)reg, .offset = (int32_t)offset};
}

/* @n of @unit bytes; what overflows becomes too large for make_value. */
static int64_t scaled(int64_t n, int64_t unit)
{
	int64_t bytes;

	return __builtin_mul_overflow(n, unit, &bytes) ? INT64_MAX : bytes;
}

static int64_t data_offset(const struct run *r, int64_t n)
{
	return scaled(n, r->code->cie->data_align);
}

static void set_register(struct run *r, uint64_t reg, struct cfi_value v)
{
	if (reg < CFI_REGISTERS)
		r->now.registers[reg] = v;
}

static void restore_register(struct run *r, uint64_t reg)
{
	const struct cfi_state *initial = r->code->initial;

	if (!initial)
		cfi_fail(&r->c);
	else if (reg < CFI_REGISTERS)
		r->now.registers[reg] = initial->registers[reg];
}

/* The state so far holds up to @to. */
static void advance_to(struct run *r, uint64_t to)
{
	if (to < r->at || !r->code->state) {
		cfi_fail(&r->c);
		return;
	}
	if (to == r->at)
		return;
	r->rc = r->code->state(r->code->context, r->at, &r->now);
	r->at = to;
	/* The rest of the program is about code that is not there. */
	if (to >= r->code->end || r->rc < 0)
		r->c.at = r->c.end;
}

static void advance(struct run *r, uint64_t n)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(n, r->code->cie->code_align, &bytes) ||
	    bytes > r->code->end - r->at)
		bytes = r->code->end - r->at;
	advance_to(r, r->at + bytes);
}

static void set_location(struct run *r)
{
	const struct cfi_section *s = r->code->section;
	struct cfi_bases bases = {.start = s->bytes, .address = s->address};
	uint64_t to = cfi_pointer(&r->c, r->code->cie->encoding, &bases);

	if (!r->c.bad)
		advance_to(r, to < r->code->end ? to : r->code->end);
}

static void remember(struct run *r)
{
	if (r->n_remembered == MAX_REMEMBERED)
		cfi_fail(&r->c);
	else
		r->remembered[r->n_remembered++] = r->now;
}

static void restore(struct run *r)
{
	if (!r->n_remembered)
		cfi_fail(&r->c);
	else
		r->now = r->remembered[--r->n_remembered];
}

static void set_base(struct run *r, uint64_t reg, int64_t offset)
{
	r->now.base = make_value(CFI_REG, reg, offset);
	r->now.cfa = r->now.base;
}

/* Only the register or only the offset changes, which needs a CFA of both. */
static void change_base(struct run *r, uint64_t reg, int64_t offset)
{
	if (r->now.base.how == CFI_REG)
		set_base(r, reg, offset);
	else
		r->now.cfa = r->now.base = (struct cfi_value){.how = CFI_NONE};
}

/* As libgcc does, a new offset leaves an expression in force. */
static void change_offset(struct run *r, int64_t offset)
{
	struct cfi_value cfa = r->now.cfa;
	bool hidden = memcmp(&cfa, &r->now.base, sizeof(cfa)) != 0;

	change_base(r, r->now.base.reg, offset);
	if (hidden)
		r->now.cfa = cfa;
}

/* An expression as the instruction @op has it: the CFA's, a register's or where that stands. */
static struct cfi_value read_expression(struct run *r, uint8_t op)
{
	uint64_t at = (uint64_t)(r->c.at - r->code->section->bytes);
	struct cfi_cursor block = cfi_part(&r->c, cfi_uleb(&r->c));

	return op == DW_CFA_expression ? cfi_expression_place(block, at)
				       : cfi_expression_value(block, at);
}

/* Instructions about the CFA; false for others. */
static bool run_cfa(struct run *r, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cfi_uleb(&r->c);
		set_base(r, reg, (int64_t)cfi_uleb(&r->c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cfi_uleb(&r->c);
		set_base(r, reg, data_offset(r, cfi_sleb(&r->c)));
		return true;
	case DW_CFA_def_cfa_register:
		change_base(r, cfi_uleb(&r->c), r->now.base.offset);
		return true;
	case DW_CFA_def_cfa_offset:
		change_offset(r, (int64_t)cfi_uleb(&r->c));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		change_offset(r, data_offset(r, cfi_sleb(&r->c)));
		return true;
	case DW_CFA_def_cfa_expression:
		r->now.cfa = read_expression(r, op);
		return true;
	default:
		return false;
	}
}

/* Instructions about the place in the code and about whole states; false for others. */
static bool run_place(struct run *r, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_GNU_args_size:
		cfi_uleb(&r->c);
		return true;
	case DW_CFA_advance_loc1:
		advance(r, cfi_uint(&r->c, 1));
		return true;
	case DW_CFA_advance_loc2:
		advance(r, cfi_uint(&r->c, 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(r, cfi_uint(&r->c, 4));
		return true;
	case DW_CFA_MIPS_advance_loc8:
		advance(r, cfi_uint(&r->c, 8));
		return true;
	case DW_CFA_set_loc:
		set_location(r);
		return true;
	case DW_CFA_remember_state:
		remember(r);
		return true;
	case DW_CFA_restore_state:
		restore(r);
		return true;
	default:
		return false;
	}
}

/* The value that an instruction about one register gives it. */
static struct cfi_value read_value(struct run *r, uint8_t op)
{
	switch (op) {
	case DW_CFA_undefined:
		return (struct cfi_value){.how = CFI_UNDEFINED};
	case DW_CFA_same_value:
		return (struct cfi_value){.how = CFI_SAME};
	case DW_CFA_offset_extended:
		return make_value(CFI_AT_CFA, 0, data_offset(r, (int64_t)cfi_uleb(&r->c)));
	case DW_CFA_offset_extended_sf:
		return make_value(CFI_AT_CFA, 0, data_offset(r, cfi_sleb(&r->c)));
	case DW_CFA_GNU_negative_offset_extended:
		return make_value(CFI_AT_CFA, 0,
				  scaled(data_offset(r, (int64_t)cfi_uleb(&r->c)), -1));
	case DW_CFA_register:
		return make_value(CFI_REG, cfi_uleb(&r->c), 0);
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		return read_expression(r, op);
	case DW_CFA_val_offset:
		return make_value(CFI_CFA, 0, data_offset(r, (int64_t)cfi_uleb(&r->c)));
	case DW_CFA_val_offset_sf:
		return make_value(CFI_CFA, 0, data_offset(r, cfi_sleb(&r->c)));
	default:
		cfi_fail(&r->c);
		return (struct cfi_value){.how = CFI_NONE};
	}
}

static void run_register(struct run *r, uint8_t op)
{
	uint64_t reg = cfi_uleb(&r->c);

	if (op == DW_CFA_restore_extended)
		restore_register(r, reg);
	else
		set_register(r, reg, read_value(r, op));
}

/* What an instruction takes. */
#define INSTRUCTION_STEPS 2

static void run_one(struct run *r)
{
	uint8_t op = *r->c.at++;

	if (!budget_steps(r->code->section->budget, INSTRUCTION_STEPS)) {
		cfi_fail(&r->c);
		return;
	}
	switch (op & ~LOW_BITS) {
	case DW_CFA_advance_loc:
		advance(r, op & LOW_BITS);
		break;
	case DW_CFA_offset:
		set_register(r, op & LOW_BITS,
			     make_value(CFI_AT_CFA, 0, data_offset(r, (int64_t)cfi_uleb(&r->c))));
		break;
	case DW_CFA_restore:
		restore_register(r, op & LOW_BITS);
		break;
	default:
		if (!run_cfa(r, op) && !run_place(r, op))
			run_register(r, op);
	}
}

bool cfi_program_start(const struct cfi_cie *cie, const struct cfi_section *s,
		       struct cfi_state *out)
{
	struct cfi_code code = {.cie = cie, .section = s};
	struct run r = {.code = &code, .c = cie->program};

	for (size_t i = 0; i < CFI_REGISTERS; i++)
		r.now.registers[i].how = CFI_UNDEFINED;
	/* What a call leaves as it is, where nothing is said of it (psABI 3.2.1); the caller's rsp
	 * is the CFA. */
	for (size_t i = 0; i < sizeof(callee_saved); i++)
		r.now.registers[callee_saved[i]].how = CFI_SAME;
	r.now.registers[CFI_RSP].how = CFI_CFA;
	while (r.c.at < r.c.end)
		run_one(&r);
	*out = r.now;
	return !r.c.bad;
}

int cfi_program_run(const struct cfi_code *code, struct cfi_cursor program)
{
	static const struct cfi_state nothing = {0};
	struct run r;

	/* Not all of it: the remembered states are only read after they were written. */
	r.code = code;
	r.c = program;
	r.now = *code->initial;
	r.at = code->start;
	r.rc = 0;
	r.n_remembered = 0;
	while (r.c.at < r.c.end)
		run_one(&r);
	if (r.rc < 0 || r.at >= code->end)
		return r.rc;
	return code->state(code->context, r.at, r.c.bad ? &nothing : &r.now);
}
