/*
 * popped SECONDS: spins at the end of popped_spin, behind the pop of rbp, where its call frame
 * information still says that rbp is on the stack, as compilers leave it: below the stack pointer.
 */
#include "prog.h"

uint64_t popped_spin(uint64_t n);
__asm__(".globl popped_spin\n"
	".type popped_spin, @function\n"
	"popped_spin:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"	xor %ebp, %ebp\n"
	"	pop %rbp\n"
	".cfi_def_cfa_offset 8\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	ret\n"
	".cfi_endproc\n"
	".size popped_spin, .-popped_spin\n");

FRAME uint64_t popped_caller(double seconds)
{
	double end = cpu_s() + seconds;

	while (cpu_s() < end)
		popped_spin(1000000);
	return 1;
}

int main(int argc, char **argv)
{
	popped_caller(arg(argc, argv, 1, 1));
	return 0;
}
