#include "cfi/cfi_evaluate.h"

#include <dwarf.h>

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

enum cfi_step cfi_evaluate(struct cfi_cursor expression, const struct cfi_subject *about,
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
