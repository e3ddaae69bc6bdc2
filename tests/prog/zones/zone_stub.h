/*
 * zone_stub: functions whose first instruction is known, so that the class of the probe at their
 * entry is: STUB(NAME, CLASS, TARGET) defines uint64_t NAME(…), which calls TARGET with the
 * arguments it was given. CLASS: nop (a 5-byte nop, as compilers leave for patches), push
 * (emulated), step (nothing emulated before the stack pointer moves).
 */
#ifndef ZONE_STUB_H
#define ZONE_STUB_H

#include <stdint.h>

#define STUB_ENTER_nop	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\nsub $8, %rsp\n"
#define STUB_ENTER_push "push %rbx\n"
#define STUB_ENTER_step "sub $8, %rsp\n"
#define STUB_LEAVE_nop	"add $8, %rsp\n"
#define STUB_LEAVE_push "pop %rbx\n"
#define STUB_LEAVE_step "add $8, %rsp\n"

#define STUB(name, class, target)                                                                 \
	__asm__(".pushsection .text\n"                                                            \
		".balign 16\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"          \
		".cfi_startproc\n" STUB_ENTER_##class ".cfi_adjust_cfa_offset 8\n"                \
						      "call " #target                             \
						      "\n" STUB_LEAVE_##class ".cfi_adjust_cfa_"  \
									      "offset -8\n"       \
									      "ret\n.cfi_"        \
									      "endproc\n."        \
									      "size " #name       \
									      ", . - " #name      \
									      "\n.popsection\n"); \
	uint64_t name()

#endif
