/* One step of the walker, by each kind of rule, over a stack of a few words. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "sample/table.h"

#define STACK 0x7000

/* A few words of memory at STACK; of other registers only rdi, 5, is known. */
static const uint64_t memory[] = {0x11, 0x22, 0x33, 0x44, STACK + 8, 0, 0x77, 0x88};

static inline int step_read(void *context, wire_u64 address, wire_u64 *out)
{
	(void)context;
	if (address < STACK || address >= STACK + sizeof(memory) || address % 8)
		return -1;
	*out = memory[(address - STACK) / 8];
	return 0;
}

static inline int step_register(void *context, wire_u32 number, wire_u64 *out)
{
	(void)context;
	*out = 0x55;
	return number == 5 ? 0 : -1;
}

#include "sample/step.h"

struct step_case {
	struct table_rule rule;
	uint64_t ip;
	bool is_caller; /* not the innermost frame */
	enum step_end end;
	uint64_t next_ip, next_sp, next_bp;
};

#define CFA_RSP(n) .cfa = TABLE_CFA_REG, .reg = 7, .cfa_offset = (n)
#define RA_BELOW   .ra = TABLE_AT_CFA, .ra_offset = -8

/* All with rsp = STACK and rbp = STACK + 32. */
static const struct step_case step_cases[] = {
	{{CFA_RSP(8), RA_BELOW}, 1, false, STEP_NEXT, 0x11, STACK + 8, STACK + 32},
	{{CFA_RSP(24), RA_BELOW, .bp = TABLE_AT_CFA, .bp_offset = -16},
	 1,
	 true,
	 STEP_NEXT,
	 0x33,
	 STACK + 24,
	 0x22},
	{{CFA_RSP(8), RA_BELOW, .bp = TABLE_UNDEFINED}, 1, true, STEP_NEXT, 0x11, STACK + 8, 0},
	{{.cfa = TABLE_CFA_REG, .reg = 6, .cfa_offset = 32, RA_BELOW},
	 1,
	 true,
	 STEP_NEXT,
	 0x88,
	 STACK + 64,
	 STACK + 32},
	{{.cfa = TABLE_CFA_DEREF, .reg = 6, .cfa_add = 8, RA_BELOW},
	 1,
	 true,
	 STEP_NEXT,
	 0x22,
	 STACK + 16,
	 STACK + 32},
	/* The stub's second half has pushed a word. */
	{{.cfa = TABLE_CFA_PLT, .cfa_add = 11, RA_BELOW},
	 0x40a,
	 false,
	 STEP_NEXT,
	 0x11,
	 STACK + 8,
	 STACK + 32},
	{{.cfa = TABLE_CFA_PLT, .cfa_add = 11, RA_BELOW},
	 0x40b,
	 false,
	 STEP_NEXT,
	 0x22,
	 STACK + 16,
	 STACK + 32},
	/* As in vfork. Whoever called has other registers by now. */
	{{CFA_RSP(0), .ra = TABLE_IN_REG, .ra_offset = 5},
	 1,
	 false,
	 STEP_NEXT,
	 0x55,
	 STACK,
	 STACK + 32},
	{{CFA_RSP(0), .ra = TABLE_IN_REG, .ra_offset = 5}, 1, true, STEP_OTHER, 0, 0, 0},
	{{CFA_RSP(0), .ra = TABLE_IN_REG, .ra_offset = 3}, 1, false, STEP_OTHER, 0, 0, 0},
	{{.cfa = TABLE_CFA_REG, .reg = 10, RA_BELOW}, 1, true, STEP_OTHER, 0, 0, 0},
	/* As in OpenSSL: rdi is 0x55 here. */
	{{.cfa = TABLE_CFA_INDEX,
	  .reg = 7,
	  .cfa_offset = 32 - 8 * 0x55,
	  .cfa_add = 8,
	  .saved_reg = 5,
	  RA_BELOW},
	 1,
	 false,
	 STEP_NEXT,
	 0x22,
	 STACK + 16,
	 STACK + 32},
	{{.cfa = TABLE_CFA_INDEX, .reg = 7, .saved_reg = 5, RA_BELOW},
	 1,
	 true,
	 STEP_OTHER,
	 0,
	 0,
	 0},
	{{.cfa = TABLE_CFA_INDEX, .reg = 7, .saved_reg = 3, RA_BELOW},
	 1,
	 false,
	 STEP_OTHER,
	 0,
	 0,
	 0},
	{{.cfa = TABLE_CFA_DEREF,
	  .reg = 7,
	  .cfa_offset = 32,
	  .ra = TABLE_AT_DEREF,
	  .saved_reg = 7,
	  .ra_offset = 48,
	  .bp = TABLE_AT_DEREF,
	  .bp_offset = 56,
	  .flags = TABLE_SIGNAL},
	 1,
	 true,
	 STEP_NEXT,
	 0x77,
	 STACK + 8,
	 0x88},
	{{CFA_RSP(8), .ra = TABLE_UNDEFINED}, 1, true, STEP_ROOT, 0, 0, 0},
	{{CFA_RSP(48), RA_BELOW}, 1, true, STEP_ROOT, 0, 0, 0},
	{{.cfa = TABLE_CFA_NONE}, 1, true, STEP_NONE, 0, 0, 0},
	{{.cfa = TABLE_CFA_OTHER, RA_BELOW}, 1, false, STEP_OTHER, 0, 0, 0},
	{{.cfa = 99, RA_BELOW}, 1, false, STEP_OTHER, 0, 0, 0},
	{{CFA_RSP(8), .ra = TABLE_SAVED_OTHER}, 1, false, STEP_OTHER, 0, 0, 0},
	{{CFA_RSP(8), RA_BELOW, .bp = TABLE_SAVED_OTHER}, 1, false, STEP_OTHER, 0, 0, 0},
	{{CFA_RSP(8), .ra = TABLE_SAME}, 1, false, STEP_BROKEN, 0, 0, 0},
	{{CFA_RSP(4096), RA_BELOW}, 1, false, STEP_UNREADABLE, 0, 0, 0},
	{{CFA_RSP(0), RA_BELOW}, 1, false, STEP_UNREADABLE, 0, 0, 0},
	{{.cfa = TABLE_CFA_DEREF, .reg = 7, .cfa_offset = -8, RA_BELOW},
	 1,
	 false,
	 STEP_UNREADABLE,
	 0,
	 0,
	 0},
};

static void steps_by_every_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(step_cases) / sizeof(*step_cases); i++) {
		const struct step_case *c = &step_cases[i];
		struct step_regs r, before;

		step_start(&r, c->ip, STACK, STACK + 32);
		r.innermost = r.exact = !c->is_caller;
		before = r;
		assert_int_equal(walk_step(NULL, &r, &c->rule), c->end);
		if (c->end != STEP_NEXT) {
			assert_memory_equal(&r, &before, sizeof(r));
			continue;
		}
		assert_int_equal(r.ip, c->next_ip);
		assert_int_equal(r.sp, c->next_sp);
		assert_int_equal(r.bp, c->next_bp);
		assert_int_equal(step_key(&r), c->next_ip - !(c->rule.flags & TABLE_SIGNAL));
	}
}

/* A frame that leads to itself, by rule and by frame pointer. */
static void loops_end(void **state)
{
	struct table_rule still = {.cfa = TABLE_CFA_DEREF, .reg = 7, .ra = TABLE_AT_CFA};
	struct step_regs r;
	int n = 0;

	(void)state;
	step_start(&r, 1, STACK + 32, 0);
	/* *(STACK + 32) leads down to STACK + 8; there, 0x22 is read, which is no stack. */
	assert_int_equal(walk_step(NULL, &r, &still), STEP_NEXT);
	assert_int_equal(r.sp, STACK + 8);
	assert_int_equal(walk_step(NULL, &r, &still), STEP_UNREADABLE);
	still = (struct table_rule){CFA_RSP(0), .ra = TABLE_AT_CFA};
	for (step_start(&r, 1, STACK, 0); walk_step(NULL, &r, &still) == STEP_NEXT && n < 100;)
		n++;
	assert_in_range(n, 1, STEP_MAX_TURNS + 1);
	step_start(&r, 1, STACK, STACK + 32);
	assert_int_equal(walk_step_bp(NULL, &r), STEP_ROOT);
	step_start(&r, 1, STACK + 40, STACK + 32);
	assert_int_equal(walk_step_bp(NULL, &r), STEP_BROKEN);
	step_start(&r, 1, STACK, STACK + 33);
	assert_int_equal(walk_step_bp(NULL, &r), STEP_BROKEN);
	step_start(&r, 1, STACK, STACK + 56);
	assert_int_equal(walk_step_bp(NULL, &r), STEP_UNREADABLE);
	step_start(&r, 1, STACK, STACK + 16);
	assert_int_equal(walk_step_bp(NULL, &r), STEP_NEXT);
	assert_int_equal(r.ip, 0x44);
	assert_int_equal(r.bp, 0x33);
	step_start(&r, 1, STACK, 0);
	assert_int_equal(walk_step_bp(NULL, &r), STEP_ROOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_by_every_rule),
		cmocka_unit_test(loops_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
