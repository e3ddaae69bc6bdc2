/*
 * insn_stack: how an instruction sets up or takes down a stack frame: its effect on rsp and rbp.
 * For instructions whose insn.frames is set. Only for the returns files.
 */
#ifndef ELF_INSN_STACK_H
#define ELF_INSN_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The instruction in the @n bytes at @at. False for what is none. */
bool insn_stack(const uint8_t *at, size_t n, struct insn_stack *out);

#endif
