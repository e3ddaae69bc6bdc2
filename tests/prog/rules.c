// cflags: -O2 -fomit-frame-pointer
/*
 * rules SECONDS: a third of the time each in by_index, by_expression, and in below under by_rbx:
 * functions in assembly whose frames are found by what hand-written code uses (OpenSSL, ld.so).
 */
#include "prog.h"

/* The frame is at *(rsp + 8 + 8 * r9) + 8; by the operations that the tables have a form for, and
 * by others to the same effect. */
void by_index(uint64_t n);
void by_expression(uint64_t n);
/* Calls f(n); its own frame is at rbx + 16 meanwhile. */
void by_rbx(void (*f)(uint64_t), uint64_t n);

#define FUNCTION(name, body)                                                           \
	".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body \
	"ret\n.cfi_endproc\n.size " name ", . - " name "\n"

#define INDEXED(name, times_8)                                                                \
	FUNCTION(name,                                                                        \
		 "mov %rsp, %rax\n.cfi_def_cfa_register rax\n"                                \
		 "mov $3, %r9d\n"                                                             \
		 "sub $72, %rsp\n"                                                            \
		 "mov %rax, 8(%rsp, %r9, 8)\n"                                                \
		 ".cfi_escape 0x0f, 10, 0x77, 8, 0x79, 0, " times_8 ", 0x22, 0x06, 0x23, 8\n" \
		 "1: dec %rdi\njnz 1b\n"                                                      \
		 "mov 8(%rsp, %r9, 8), %rsp\n.cfi_def_cfa rsp, 8\n")

__asm__(".text\n" INDEXED("by_index", "0x38, 0x1e") /* lit8 mul */
	INDEXED("by_expression", "0x33, 0x24")	    /* lit3 shl */
	FUNCTION("by_rbx", "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx, -16\n"
			   "mov %rsp, %rbx\n.cfi_def_cfa_register rbx\n"
			   "sub $40, %rsp\n"
			   "and $-64, %rsp\n"
			   "mov %rdi, %rax\n"
			   "mov %rsi, %rdi\n"
			   "call *%rax\n"
			   "mov %rbx, %rsp\n.cfi_def_cfa_register rsp\n"
			   "pop %rbx\n.cfi_def_cfa_offset 8\n"));

FRAME void below(uint64_t n)
{
	__asm__ volatile("push %%rbx\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_rel_offset rbx, 0\n\t"
			 "xor %%ebx, %%ebx\n"
			 "1:\tdec %0\n\tjnz 1b\n\t"
			 "pop %%rbx\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rbx"
			 : "+r"(n)
			 :
			 : "cc");
}

int main(int argc, char **argv)
{
	double end = cpu_s() + arg(argc, argv, 1, 2);
	unsigned int rounds = 0;

	for (; cpu_s() < end; rounds++) {
		/* No two rounds alike, so that no sampler's rate can beat with them. */
		uint64_t n = 1000000 + rounds * 2654435761u % 1000000;

		by_index(n);
		by_expression(n);
		by_rbx(below, n);
	}
	printf("pid=%d rounds=%u\n", getpid(), rounds);
	return 0;
}
