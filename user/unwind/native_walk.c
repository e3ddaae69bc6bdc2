#include "unwind/native_walk.h"

#include "base/vec.h"
#include "elf/cfi.h"

#define REGISTERS 17

static inline const void *table_line(void *table, wire_u32 number)
{
	const struct table_blob *t = table;

	return number < t->n_words / TABLE_LINE_WORDS ? t->words + number * (size_t)TABLE_LINE_WORDS
						      : NULL;
}

static inline int step_read(void *context, wire_u64 address, wire_u64 *out)
{
	const struct native_walk *w = context;

	return w->read(w->context, address, out) ? 0 : -1;
}

static inline int step_register(void *context, wire_u32 number, wire_u64 *out)
{
	const struct native_walk *w = context;

	if (number >= REGISTERS)
		return -1;
	*out = w->registers[number];
	return 0;
}

#include "unwind/lookup.h"
#include "unwind/step.h"

bool native_find(const struct table_blob *table, uint64_t offset, struct table_rule *out)
{
	struct table_blob *t = (struct table_blob *)(uintptr_t)table;
	const struct table_rule *rule;
	struct table_header h;
	wire_u32 number;

	if (table_open(t, &h) || table_find(t, &h, offset, &number))
		return false;
	rule = table_rule_at(t, &h, number);
	if (rule)
		*out = *rule;
	return rule && rule->cfa != TABLE_CFA_NONE;
}

static bool is_code(const struct native_walk *w, uint64_t address)
{
	struct native_code code;

	return w->find(w->context, address, &code);
}

/* The frames of a walk so far, for the one rule in thousands that goes by rbx. */
struct passed {
	uint64_t key, cfa;
};

struct trail {
	VEC(struct passed) frames;
};

/* rbx in the frame that @trail leads to, from the innermost outwards. */
static bool find_rbx(const struct native_walk *w, const struct trail *trail, uint64_t *rbx)
{
	*rbx = w->registers[CFI_RBX];
	for (size_t i = 0; i < trail->frames.n; i++) {
		const struct passed *p = &trail->frames.at[i];
		struct cfi_value saved;

		if (!w->saved_rbx || !w->saved_rbx(w->context, p->key, &saved))
			return false;
		if (saved.how == CFI_SAME)
			continue;
		if (saved.how != CFI_AT_CFA ||
		    !w->read(w->context, p->cfa + (uint64_t)(int64_t)saved.offset, rbx))
			return false;
	}
	return true;
}

/* By a rule whose CFA is counted from rbx, as in ld.so where it binds functions lazily. */
static enum step_end step_by_rbx(const struct native_walk *w, struct step_regs *r,
				 const struct table_rule *rule, const struct trail *trail)
{
	struct table_rule by_bp = *rule;
	struct step_regs at = *r;
	enum step_end end;

	if (!find_rbx(w, trail, &at.bp))
		return STEP_OTHER;
	by_bp.reg = STEP_RBP;
	end = walk_step((void *)(uintptr_t)w, &at, &by_bp);
	if (end != STEP_NEXT)
		return end;
	if (rule->bp == TABLE_SAME)
		at.bp = r->bp;
	*r = at;
	return end;
}

static enum step_end step_by_rule(const struct native_walk *w, struct step_regs *r,
				  const struct table_rule *rule, const struct trail *trail)
{
	enum step_end end = walk_step((void *)(uintptr_t)w, r, rule);

	if (end == STEP_OTHER && rule->cfa == TABLE_CFA_REG && rule->reg == CFI_RBX)
		return step_by_rbx(w, r, rule, trail);
	return end;
}

static enum step_end step(const struct native_walk *w, struct step_regs *r,
			  const struct trail *trail, bool *by_bp)
{
	struct native_code code = {0};
	struct table_rule rule;
	enum step_end end;

	*by_bp = false;
	if (w->find(w->context, step_key(r), &code) && code.table &&
	    native_find(code.table, code.offset, &rule))
		return step_by_rule(w, r, &rule, trail);
	end = walk_step_bp((void *)(uintptr_t)w, r);
	if (end == STEP_NEXT && !is_code(w, step_key(r)))
		return STEP_BROKEN;
	*by_bp = end == STEP_NEXT;
	return end;
}

struct native_end native_walk(const struct native_walk *w, uint64_t *frames, uint8_t *by_bp,
			      size_t max)
{
	struct native_end out = {0};
	struct trail trail = {0};
	struct step_regs r;
	bool guessed = false;
	uint64_t key;

	step_start(&r, w->registers[CFI_RIP], w->registers[CFI_RSP], w->registers[CFI_RBP]);
	while (out.n < max) {
		if (by_bp)
			by_bp[out.n] = guessed;
		out.n_by_bp += guessed;
		frames[out.n++] = r.ip;
		key = step_key(&r);
		out.end = step(w, &r, &trail, &guessed);
		if (out.end != STEP_NEXT)
			break;
		vec_push(&trail.frames, ((struct passed){.key = key, .cfa = r.sp}));
	}
	vec_release(&trail.frames);
	return out;
}
