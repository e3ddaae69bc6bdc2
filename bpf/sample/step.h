/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step: steps from a frame to its caller, by a rule of the table (table.h) or by frame pointer. For
 * BPF programs and native code alike. Before it includes this, the includer defines
 *
 *	static inline int step_read(void *context, wire_u64 address, wire_u64 *out);
 *	static inline int step_register(void *context, wire_u32 number, wire_u64 *out);
 *
 * step_read() reads a word of the target's memory and returns 0 on success. step_register() reads a
 * register of the innermost frame other than rip, rsp and rbp, by its DWARF number, and returns 0
 * if that exists. It is called for the innermost frame only.
 *
 * To walk: key = step_key(); look up the rule of the key's mapping; walk_step(), or walk_step_bp()
 * if there is no rule; the new regs.ip is a frame; repeat while STEP_NEXT.
 */
#ifndef SAMPLE_STEP_H
#define SAMPLE_STEP_H

#include "sample/regs.h"
#include "sample/table.h"

#define STEP_INLINE static inline __attribute__((always_inline, unused))

/* How often a walk may go on at a lower address: for signal handlers and functions that switch
 * stacks. A cycle of broken frames would do so forever. */
#define STEP_MAX_TURNS 16

STEP_INLINE void step_start(struct step_regs *r, wire_u64 ip, wire_u64 sp, wire_u64 bp)
{
	*r = (struct step_regs){.ip = ip, .sp = sp, .bp = bp, .exact = 1, .innermost = 1};
}

/* The address whose rule applies. A return address may be the first byte behind a function that
 * ends in a call, so look one byte before it. */
STEP_INLINE wire_u64 step_key(const struct step_regs *r)
{
	return r->ip - !r->exact;
}

/* The value of register @number in this frame. */
STEP_INLINE enum step_end step_value(void *context, const struct step_regs *r, wire_u32 number,
				     wire_u64 *out)
{
	if (number == STEP_RSP)
		*out = r->sp;
	else if (number == STEP_RBP)
		*out = r->bp;
	else if (!r->innermost || step_register(context, number, out))
		return STEP_OTHER;
	return STEP_NEXT;
}

STEP_INLINE enum step_end step_cfa(void *context, const struct step_regs *r,
				   const struct table_rule *rule, wire_u64 *cfa)
{
	enum step_end end = STEP_NEXT;
	wire_u64 index = 0;

	switch (rule->cfa) {
	case TABLE_CFA_NONE:
		return STEP_NONE;
	case TABLE_CFA_PLT:
		*cfa = r->sp + 8 + ((r->ip & 15) >= (wire_u64)rule->cfa_add ? 8 : 0);
		return STEP_NEXT;
	case TABLE_CFA_INDEX:
		end = step_value(context, r, rule->saved_reg, &index);
		if (end)
			return end;
		break;
	case TABLE_CFA_REG:
	case TABLE_CFA_DEREF:
		break;
	default:
		return STEP_OTHER;
	}
	end = step_value(context, r, rule->reg, cfa);
	if (end)
		return end;
	*cfa += (wire_u64)(long long)rule->cfa_offset + 8 * index;
	if (rule->cfa == TABLE_CFA_REG)
		return STEP_NEXT;
	if (step_read(context, *cfa, cfa))
		return STEP_UNREADABLE;
	*cfa += (wire_u64)(long long)rule->cfa_add;
	return STEP_NEXT;
}

/* The caller's register that @saved and @offset locate; *@value is its value in this frame. */
STEP_INLINE enum step_end step_saved(void *context, const struct step_regs *r, wire_u32 saved,
				     long long offset, wire_u32 saved_reg, wire_u64 cfa,
				     wire_u64 *value)
{
	wire_u64 at = cfa;
	enum step_end end;

	switch (saved) {
	case TABLE_SAME:
		return STEP_NEXT;
	case TABLE_IN_REG:
		return step_value(context, r, (wire_u32)offset, value);
	case TABLE_AT_DEREF:
		end = step_value(context, r, saved_reg, &at);
		if (end)
			return end;
		break;
	case TABLE_AT_CFA:
		break;
	default:
		return STEP_OTHER;
	}
	return step_read(context, at + (wire_u64)offset, value) ? STEP_UNREADABLE : STEP_NEXT;
}

/* Stacks grow down, so a caller's frame is above. Signal handlers and code that switches stacks may
 * differ, a few times per walk. */
STEP_INLINE enum step_end step_to(struct step_regs *r, wire_u64 ip, wire_u64 cfa, wire_u64 bp,
				  int exact)
{
	if (!ip)
		return STEP_ROOT;
	/* Only a return address in a register leaves the stack pointer unchanged. */
	if (cfa < r->sp || (cfa == r->sp && !r->innermost)) {
		if (r->turns >= STEP_MAX_TURNS)
			return STEP_BROKEN;
		r->turns++;
	}
	r->ip = ip;
	r->sp = cfa;
	r->bp = bp;
	r->exact = exact != 0;
	r->innermost = 0;
	return STEP_NEXT;
}

/* Steps by a rule of the table. Leaves @r unchanged unless it returns STEP_NEXT. */
STEP_INLINE enum step_end walk_step(void *context, struct step_regs *r,
				    const struct table_rule *rule)
{
	wire_u64 cfa = 0, ip = r->ip, bp = r->bp;
	enum step_end end;

	if (rule->cfa != TABLE_CFA_NONE && rule->ra == TABLE_UNDEFINED)
		return STEP_ROOT;
	end = step_cfa(context, r, rule, &cfa);
	if (end)
		return end;
	/* A return address is never where it was; a broken rule must not make the walk stand
	 * still. */
	if (rule->ra == TABLE_SAME)
		return STEP_BROKEN;
	end = step_saved(context, r, rule->ra, rule->ra_offset, rule->saved_reg, cfa, &ip);
	if (end)
		return end;
	if (rule->bp == TABLE_UNDEFINED) {
		bp = 0;
	} else {
		end = step_saved(context, r, rule->bp, rule->bp_offset, rule->saved_reg, cfa, &bp);
		if (end)
			return end;
	}
	return step_to(r, ip, cfa, bp, rule->flags & TABLE_SIGNAL);
}

/*
 * Steps by frame pointer, for code without rules: the caller's rbp is at [rbp], the return address
 * above it. rbp may hold anything: the caller must check that the new ip is code.
 */
STEP_INLINE enum step_end walk_step_bp(void *context, struct step_regs *r)
{
	wire_u64 bp = 0, ip = 0;

	if (!r->bp)
		return STEP_ROOT;
	if (r->bp < r->sp || (r->bp & 7))
		return STEP_BROKEN;
	if (step_read(context, r->bp, &bp) || step_read(context, r->bp + 8, &ip))
		return STEP_UNREADABLE;
	return step_to(r, ip, r->bp + 16, bp, 0);
}

#endif
