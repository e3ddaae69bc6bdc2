/*
 * returns_code: the decoded instructions of code without call frame information. Only for the
 * returns files.
 */
#ifndef CODE_RETURNS_CODE_H
#define CODE_RETURNS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/budget.h"

/* How an instruction sets up or takes down a stack frame: its effect on rsp and rbp. For
 * instructions whose insn.frames is set. Only for the returns files. */

enum insn_stack_kind {
	INSN_STACK_NONE,
	INSN_STACK_ADD,	     /* rsp += amount */
	INSN_STACK_PUSH_RBP, /* the same, with rbp there */
	INSN_STACK_POP_RBP,
	INSN_STACK_SAVE_RBP, /* to rsp + amount */
	INSN_STACK_LOAD_RBP, /* from there */
	INSN_STACK_LEAVE,
	INSN_STACK_FROM_RBP, /* rsp = rbp + amount */
	INSN_STACK_TO_RBP,   /* rbp = rsp + amount */
	INSN_STACK_SET_RSP,  /* to what is not known */
	INSN_STACK_SET_RBP,
	INSN_STACK_SET_BOTH,
};

struct insn_stack {
	uint8_t kind; /* enum insn_stack_kind */
	int32_t amount;
};

#define RETURNS_NOWHERE UINT32_MAX

struct returns_step {
	uint32_t at; /* in the code */
	uint32_t
		target; /* in the code, of a jump or call; RETURNS_NOWHERE: outside, or not known */
	int32_t amount;
	uint8_t bytes;
	uint8_t kind;  /* enum insn_kind; a jump by a variable is taken for a return */
	uint8_t stack; /* enum insn_stack_kind, with amount */
};

struct returns_code {
	const uint8_t *bytes; /* borrowed */
	size_t n;
	struct budget *budget; /* of the file; borrowed */
	VEC(struct returns_step) steps;
	uint32_t *step_at; /* of each byte: the step that starts there + 1, or 0 */
	uint8_t *starts;   /* of each byte: a function starts there */
};

/* Whether the @n bytes are worth decoding: not where they are data, or keep frame pointers. */
bool returns_code_tells(const uint8_t *bytes, size_t n, struct budget *);

/* Decodes @bytes in sequence, skipping those that are no instruction. Functions start where a call
 * goes or an address is taken. The caller releases @out. */
void returns_code_read(const uint8_t *bytes, size_t n, struct budget *, struct returns_code *out);
void returns_code_release(struct returns_code *);

/* The number of the step that starts at @at: false where none does. */
static inline bool returns_step_at(const struct returns_code *c, uint32_t at, uint32_t *number)
{
	if (at >= c->n || !c->step_at[at])
		return false;
	*number = c->step_at[at] - 1;
	return true;
}

#endif
