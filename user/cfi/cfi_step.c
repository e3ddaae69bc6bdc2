#include "cfi/cfi_step.h"

#include "cfi/cfi_evaluate.h"

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
