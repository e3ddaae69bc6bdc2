/*
 * insn: decodes one machine instruction, as far as needed to place probes and to follow control
 * flow. x86-64 only; decodes untrusted bytes with Zydis. How the kernel treats a probed instruction
 * is in its arch/x86/kernel/uprobes.c. Only for the site files.
 */
#ifndef CODE_INSN_H
#define CODE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_kind {
	INSN_PLAIN,
	INSN_NOP,
	INSN_CALL,
	INSN_JUMP,     /* to target */
	INSN_BRANCH,   /* conditional: to target, or to the next instruction */
	INSN_INDIRECT, /* a jump to an address in a register or in memory */
	INSN_RET,
	INSN_STOP, /* execution ends here: ud2, hlt, int3 */
};

/* How the kernel treats a probe on it. */
enum insn_probe {
	INSN_REFUSED, /* by the kernel, or by us: it would change what the instruction does */
	INSN_STEPPED,
	INSN_EMULATED,
	INSN_LONG_NOP, /* emulated by kernels that know long nops, else stepped */
	INSN_NOP5,     /* rewritten to a call by kernels that know long nops, else stepped */
};

/* Conditions on rcx: jrcxz, loop. */
#define INSN_ODD_CONDITION 0xfe

enum insn_base { INSN_BASE_NONE, INSN_BASE_RSP, INSN_BASE_RBP };

struct insn {
	uint8_t bytes;	   /* 1 to 15 */
	uint8_t kind;	   /* enum insn_kind */
	uint8_t probe;	   /* enum insn_probe */
	uint8_t condition; /* of a branch: the low four bits of its opcode, or INSN_ODD_CONDITION */
	uint8_t base;	   /* enum insn_base: of its memory operand, where that has no index */
	bool pops;
	bool notrack; /* of an indirect jump: the compiler says that it goes to a known place */
	bool frames;  /* insn_stack() may know it; false: it does not, so no need to call it */
	int32_t displacement; /* of the memory operand */
	uint64_t target;
	uint64_t takes;	   /* the rip-relative address that it puts in a register; 0: none */
	uint64_t variable; /* the address of its memory operand, where rip-relative; else 0 */
};

/* The instruction in the @n bytes at @at, loaded at @address. False where there is none. */
bool insn_read(const uint8_t *at, size_t n, uint64_t address, struct insn *out);

/* What takes a full decode to know. */
struct insn_effects {
	bool moves_stack; /* changes rsp */
	bool writes;	  /* to memory */
	bool lingers;	  /* may take long, or be interrupted: a system call, a rep prefix */
	/* Registers of arguments that it changes: bit 0 is the first one's, rdi. Integers only. */
	uint32_t arguments;
};
bool insn_effects(const uint8_t *at, size_t n, struct insn_effects *out);

/* How an indirect jump finds its target, or what an instruction puts in a register. */
enum insn_source {
	INSN_FROM_OTHER,
	INSN_FROM_REGISTER, /* number, as it was before */
	INSN_FROM_MEMORY,   /* no index: a variable */
	INSN_FROM_TABLE,    /* memory with an index; address where it stands in the instruction */
	INSN_FROM_DISTANCE, /* 4 bytes of memory, signed: an entry of a table of distances */
	INSN_FROM_SUM,	    /* of the registers number and other */
	INSN_FROM_CODE,	    /* an address that the instruction has in it */
};
struct insn_value {
	uint8_t source;	  /* enum insn_source */
	int16_t number;	  /* of the register */
	int16_t other;	  /* that of a sum */
	bool has_address; /* of a table of 8-byte entries */
	uint64_t address;
};
/* Of an indirect jump. */
bool insn_jump_value(const uint8_t *at, size_t n, struct insn_value *out);
/* Whether it writes register @number, and what. */
bool insn_writes(const uint8_t *at, size_t n, int16_t number, struct insn_value *out);

#endif
