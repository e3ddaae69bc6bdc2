// cflags: -O2 -fomit-frame-pointer
/*
 * coroutine_end WAY SECONDS: a coroutine made by hand, in a mapping of its own, is in coro_spin for
 * so long. Its first function's return address is the last word of the stack. WAY: word, it is no
 * code; trap, code that nothing describes and that has no caller.
 */
#include <string.h>
#include <sys/mman.h>

#include "prog.h"

#define STACK_BYTES 65536

void coro_trap(void);

static double seconds;
static void *caller[5];

FRAME uint64_t coro_spin(void)
{
	return spin_for(seconds);
}

/* The coroutine; it does not return. */
FRAME void coro_entry(void)
{
	coro_spin();
	__builtin_longjmp(caller, 1);
}

/* Calls coro_entry on the stack that ends at @top, as if @from had called it. */
FRAME void coro_run(void *top, void *from)
{
	void **word = (void **)top - 1;

	*word = from;
	if (!__builtin_setjmp(caller))
		__asm__ volatile("mov %0, %%rsp\n"
				 "mov $0x1234567, %%rbp\n"
				 "jmp *%1"
				 :
				 : "r"(word), "r"(coro_entry)
				 : "memory");
}

__asm__(".text\n"
	".p2align 6\n"
	".skip 64, 0xcc\n"
	".globl coro_trap\n"
	".type coro_trap, @function\n"
	"coro_trap: .skip 64, 0xcc\n"
	".size coro_trap, . - coro_trap\n");

int main(int argc, char **argv)
{
	char *stack = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *from = argc > 1 && !strcmp(argv[1], "trap") ? (char *)coro_trap + 32 : (void *)0x77;

	/* As another coroutine's guard page above it. */
	if (stack == MAP_FAILED || mprotect(stack + STACK_BYTES, STACK_BYTES, PROT_NONE))
		return 1;
	seconds = arg(argc, argv, 2, 1);
	coro_run(stack + STACK_BYTES, from);
	printf("pid=%d\n", getpid());
	return 0;
}
