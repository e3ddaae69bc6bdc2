#include "cfi/cfi_step.h"

#include <dwarf.h>

#include "cfi/cfi_cursor.h"
#include "elf/budget.h"

/* --- expressions ------------------------------------------------------------------------------ */

/* Evaluates the DWARF expressions that call frame information may contain (DWARF 5, 2.5 and
 * 6.4.2), on the registers and the memory of a frame. Works on untrusted expressions. */

/* Compilers' expressions have about ten operations, but loops are allowed. */
#define CFI_MAX_OPERATIONS 512
#define CFI_MAX_STACK	   64

/* The frame that an expression is evaluated for. Borrowed. */
struct cfi_subject {
	const struct cfi_registers *registers;
	const struct cfi_memory *memory;
	struct budget *budget; /* of the file */
	const uint64_t *cfa;   /* initially on the stack; NULL: the CFA itself is being computed */
};

struct machine {
	struct cfi_cursor c;
	const uint8_t *start; /* of the expression */
	const struct cfi_subject *about;
	uint64_t stack[CFI_MAX_STACK];
	size_t n;
	enum cfi_step end; /* anything but CFI_STEP_DONE stops it */
};

static void stop(struct machine *m, enum cfi_step end)
{
	if (!m->end)
		m->end = end;
}

static void push(struct machine *m, uint64_t value)
{
	if (m->n == CFI_MAX_STACK)
		stop(m, CFI_STEP_UNKNOWN);
	else
		m->stack[m->n++] = value;
}

/* The value @below the top. */
static uint64_t peek(struct machine *m, uint64_t below)
{
	if (below < m->n)
		return m->stack[m->n - 1 - below];
	stop(m, CFI_STEP_UNKNOWN);
	return 0;
}

static uint64_t pop(struct machine *m)
{
	uint64_t value = peek(m, 0);

	m->n -= m->n > 0;
	return value;
}

static void push_register(struct machine *m, uint64_t number, int64_t offset)
{
	uint64_t value = 0;

	if (!cfi_register(m->about->registers, number, &value))
		stop(m, CFI_STEP_UNKNOWN);
	push(m, value + (uint64_t)offset);
}

/* The @bytes at the address on top, in its place. */
static void read_memory(struct machine *m, uint64_t bytes)
{
	const struct cfi_memory *memory = m->about->memory;
	uint64_t value = 0;

	if (bytes < 1 || bytes > 8)
		stop(m, CFI_STEP_UNKNOWN);
	else if (!memory->read(memory->context, pop(m), &value))
		stop(m, CFI_STEP_UNREADABLE);
	else
		push(m, bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1));
}

static int64_t sign_extended(uint64_t value, size_t bytes)
{
	unsigned int unused = 64 - 8 * (unsigned int)bytes;

	return (int64_t)(value << unused) >> unused;
}

/* Operations that push a value; false for others. */
static bool run_value(struct machine *m, uint8_t op)
{
	static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8};
	uint64_t number;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(m, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(m, op - DW_OP_breg0, cfi_sleb(&m->c));
	} else if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
		size_t n = bytes[op - DW_OP_const1u];

		number = cfi_uint(&m->c, n);
		push(m, (op - DW_OP_const1u) % 2 ? (uint64_t)sign_extended(number, n) : number);
	} else if (op == DW_OP_constu) {
		push(m, cfi_uleb(&m->c));
	} else if (op == DW_OP_consts) {
		push(m, (uint64_t)cfi_sleb(&m->c));
	} else if (op == DW_OP_bregx) {
		number = cfi_uleb(&m->c);
		push_register(m, number, cfi_sleb(&m->c));
	} else if (op == DW_OP_call_frame_cfa && m->about->cfa) {
		push(m, *m->about->cfa);
	} else {
		return false;
	}
	return true;
}

/* Puts the topmost value below the @n - 1 that follow. */
static void rotate(struct machine *m, size_t n)
{
	uint64_t top = peek(m, 0);

	if (m->n < n) {
		stop(m, CFI_STEP_UNKNOWN);
		return;
	}
	memmove(&m->stack[m->n - n + 1], &m->stack[m->n - n], (n - 1) * sizeof(top));
	m->stack[m->n - n] = top;
}

/* Operations that move values on the stack; false for others. */
static bool run_stack(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		push(m, peek(m, 0));
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_over:
		push(m, peek(m, 1));
		return true;
	case DW_OP_pick:
		push(m, peek(m, cfi_uint(&m->c, 1)));
		return true;
	case DW_OP_swap:
		rotate(m, 2);
		return true;
	case DW_OP_rot:
		rotate(m, 3);
		return true;
	default:
		return false;
	}
}

/* Operations on one value; false for others. */
static bool run_unary(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_deref:
		read_memory(m, 8);
		return true;
	case DW_OP_deref_size:
		read_memory(m, cfi_uint(&m->c, 1));
		return true;
	case DW_OP_abs:
		push(m, (int64_t)peek(m, 0) < 0 ? -pop(m) : pop(m));
		return true;
	case DW_OP_neg:
		push(m, -pop(m));
		return true;
	case DW_OP_not:
		push(m, ~pop(m));
		return true;
	case DW_OP_plus_uconst:
		push(m, pop(m) + cfi_uleb(&m->c));
		return true;
	default:
		return false;
	}
}

/* a / b of signed numbers; the lowest by -1 is itself. */
static uint64_t divide(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift(uint8_t op, uint64_t a, uint64_t by)
{
	if (op == DW_OP_shra)
		return (uint64_t)((int64_t)a >> (by < 64 ? by : 63));
	if (by >= 64)
		return 0;
	return op == DW_OP_shl ? a << by : a >> by;
}

static uint64_t compute(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_div:
		return divide(a, b);
	case DW_OP_minus:
		return a - b;
	case DW_OP_mod:
		return a % b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_or:
		return a | b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	case DW_OP_lt:
		return (int64_t)a < (int64_t)b;
	default:
		return shift(op, a, b);
	}
}

/* Operations on two values; false for others. */
static bool run_binary(struct machine *m, uint8_t op)
{
	static const uint8_t ops[] = {DW_OP_and, DW_OP_div,  DW_OP_minus, DW_OP_mod, DW_OP_mul,
				      DW_OP_or,	 DW_OP_plus, DW_OP_shl,	  DW_OP_shr, DW_OP_shra,
				      DW_OP_xor, DW_OP_eq,   DW_OP_ge,	  DW_OP_gt,  DW_OP_le,
				      DW_OP_lt,	 DW_OP_ne};
	uint64_t a, b;

	if (!memchr(ops, op, sizeof(ops)))
		return false;
	b = pop(m);
	a = pop(m);
	if (!b && (op == DW_OP_div || op == DW_OP_mod))
		stop(m, CFI_STEP_UNKNOWN);
	else
		push(m, compute(op, a, b));
	return true;
}

static void jump(struct machine *m, int64_t distance)
{
	int64_t to = m->c.at - m->start + distance;

	if (to < 0 || to > m->c.end - m->start)
		stop(m, CFI_STEP_UNKNOWN);
	else
		m->c.at = m->start + to;
}

/* Operations about the place in the expression; false for others. */
static bool run_flow(struct machine *m, uint8_t op)
{
	int64_t distance;

	if (op == DW_OP_nop)
		return true;
	if (op != DW_OP_skip && op != DW_OP_bra)
		return false;
	distance = sign_extended(cfi_uint(&m->c, 2), 2);
	if (op == DW_OP_skip || pop(m))
		jump(m, distance);
	return true;
}

static void run_one(struct machine *m)
{
	uint8_t op = *m->c.at++;

	if (!run_value(m, op) && !run_stack(m, op) && !run_unary(m, op) && !run_binary(m, op) &&
	    !run_flow(m, op))
		stop(m, CFI_STEP_UNKNOWN);
	if (m->c.bad)
		stop(m, CFI_STEP_UNKNOWN);
}

/* CFI_STEP_UNKNOWN for an expression that is malformed, needs an unknown register or uses an
 * operation that is not allowed in call frame information. */
static enum cfi_step cfi_evaluate(struct cfi_cursor expression, const struct cfi_subject *about,
				  uint64_t *out)
{
	struct machine m = {.c = expression, .start = expression.at, .about = about};

	if (about->cfa)
		push(&m, *about->cfa);
	for (size_t i = 0; m.c.at < m.c.end && !m.end; i++) {
		if (i == CFI_MAX_OPERATIONS || !budget_steps(about->budget, 1))
			return CFI_STEP_UNKNOWN;
		run_one(&m);
	}
	*out = pop(&m);
	return m.end;
}

/* A frame, while its caller's registers are found. */
struct stepping {
	const struct cfi_frame *frame;
	struct cfi_subject about;
};

static enum cfi_step evaluate(const struct stepping *s, const struct cfi_value *v, uint64_t *out)
{
	const struct cfi_frame *f = s->frame;
	struct cfi_cursor c = {f->section, f->section + f->section_bytes, false};

	cfi_skip(&c, (uint64_t)v->offset);
	return cfi_evaluate(cfi_part(&c, cfi_uleb(&c)), &s->about, out);
}

/* The number that @v speaks of: the value itself or, if is_place(), the address of it. */
static enum cfi_step find(const struct stepping *s, const struct cfi_value *v, uint64_t *out)
{
	const struct cfi_registers *r = s->about.registers;
	uint64_t index = 0;

	switch (v->how) {
	case CFI_AT_INDEX:
		if (!cfi_register(r, v->index, &index))
			return CFI_STEP_UNKNOWN;
		/* fall through */
	case CFI_REG:
	case CFI_AT_REG:
		if (!cfi_register(r, v->reg, out))
			return CFI_STEP_UNKNOWN;
		*out += (uint64_t)(int64_t)v->offset + 8 * index;
		return CFI_STEP_DONE;
	case CFI_CFA:
	case CFI_AT_CFA:
		if (!s->about.cfa)
			return CFI_STEP_UNKNOWN;
		*out = *s->about.cfa + (uint64_t)(int64_t)v->offset;
		return CFI_STEP_DONE;
	case CFI_EXPRESSION:
	case CFI_AT_EXPRESSION:
		return evaluate(s, v, out);
	default:
		return CFI_STEP_UNKNOWN;
	}
}

static bool is_place(const struct cfi_value *v)
{
	return v->how == CFI_AT_REG || v->how == CFI_AT_INDEX || v->how == CFI_AT_CFA ||
	       v->how == CFI_AT_EXPRESSION;
}

static enum cfi_step find_value(const struct stepping *s, const struct cfi_value *v, uint64_t *out)
{
	enum cfi_step end = find(s, v, out);

	if (end || !is_place(v))
		return end;
	if (!s->about.memory->read(s->about.memory->context, *out, out))
		return CFI_STEP_UNREADABLE;
	*out += (uint64_t)(int64_t)v->add;
	return CFI_STEP_DONE;
}

static enum cfi_step find_cfa(const struct stepping *s, uint64_t *out)
{
	const struct cfi_value *v = &s->frame->cfa;
	uint64_t ip;

	if (v->how != CFI_PLT)
		return find_value(s, v, out);
	if (!cfi_register(s->about.registers, CFI_RSP, out) ||
	    !cfi_register(s->about.registers, CFI_RIP, &ip))
		return CFI_STEP_UNKNOWN;
	*out += (ip & 15) >= (uint64_t)v->offset ? 16 : 8;
	return CFI_STEP_DONE;
}

/* Saved below the stack pointer: it has been popped, which rules do not tell. */
static bool is_popped(const struct stepping *s, const struct cfi_value *v)
{
	uint64_t sp, at;

	return v->how == CFI_AT_CFA && cfi_register(s->about.registers, CFI_RSP, &sp) &&
	       !find(s, v, &at) && at < sp;
}

static enum cfi_step find_register(const struct stepping *s, uint32_t number, uint64_t *out)
{
	const struct cfi_value *v = &s->frame->registers[number];
	enum cfi_step end = v->how == CFI_SAME ? CFI_STEP_DONE : find_value(s, v, out);

	if (v->how == CFI_SAME ||
	    (end == CFI_STEP_UNREADABLE && number != CFI_RIP && is_popped(s, v)))
		end = cfi_register(s->about.registers, number, out) ? CFI_STEP_DONE
								    : CFI_STEP_UNKNOWN;
	return end;
}

enum cfi_step cfi_step(const struct cfi_frame *f, const struct cfi_memory *memory,
		       struct cfi_registers *r)
{
	struct stepping s = {.frame = f,
			     .about = {.registers = r, .memory = memory, .budget = f->budget}};
	struct cfi_registers caller = {0};
	enum cfi_step end = CFI_STEP_ROOT;
	uint64_t cfa;

	/* A return address is never where it was. */
	if (f->registers[CFI_RIP].how == CFI_SAME)
		return CFI_STEP_UNKNOWN;
	if (f->registers[CFI_RIP].how != CFI_UNDEFINED)
		end = find_cfa(&s, &cfa);
	if (end)
		return end;
	s.about.cfa = &cfa;
	for (uint32_t i = 0; i < CFI_REGISTERS; i++) {
		end = find_register(&s, i, &caller.value[i]);
		if (end && (i == CFI_RIP || i == CFI_RSP))
			return end;
		caller.known |= (uint32_t)!end << i;
	}
	*r = caller;
	return CFI_STEP_DONE;
}
