// cflags: -O2 -fomit-frame-pointer
/* handler SECONDS [same|rule]: spins in handle, a signal handler upon a stack of its own, which
 * interrupted interrupted_here, called by main, after 50 ms. With "same" they are on one stack;
 * with "rule" it interrupts by_rule, whose frame is found by a rule that tables have no room for.
 */
#include <string.h>

#include "prog.h"

static double seconds;
static volatile sig_atomic_t handled;
static volatile uint64_t result;

FRAME uint64_t handle_slowly(double for_seconds)
{
	return spin_for(for_seconds) + 1;
}

FRAME void handle(int number)
{
	handled = number;
	result = handle_slowly(seconds);
}

/* The signal comes in the middle of its loop, not at a call. */
FRAME uint64_t interrupted_here(void)
{
	uint64_t x = 1;

	while (!handled)
		x = turns(x, 1000);
	return x;
}

/* Spins until *p is not 0; its frame is at *(rsp + 8 + (r9 << 3)) + 8. */
void by_rule(volatile sig_atomic_t *p);
__asm__(".text\n.globl by_rule\n.type by_rule, @function\nby_rule:\n"
	"	.cfi_startproc\n"
	"	mov %rsp, %rax\n"
	"	.cfi_def_cfa_register rax\n"
	"	mov $3, %r9d\n"
	"	sub $72, %rsp\n"
	"	mov %rax, 8(%rsp, %r9, 8)\n"
	"	.cfi_escape 0x0f, 10, 0x77, 8, 0x79, 0, 0x33, 0x24, 0x22, 0x06, 0x23, 8\n"
	"	xor %eax, %eax\n"
	"1:	cmp %eax, (%rdi)\n"
	"	je 1b\n"
	"	mov 8(%rsp, %r9, 8), %rsp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n.size by_rule, . - by_rule\n");

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	const char *how = argc > 2 ? argv[2] : "";
	struct sigaction action = {.sa_handler = handle,
				   .sa_flags = strcmp(how, "same") ? SA_ONSTACK : 0};
	stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct itimerspec soon = {.it_value.tv_nsec = 50000000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;

	seconds = arg(argc, argv, 1, 2);
	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL) ||
	    timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) ||
	    timer_settime(timer, 0, &soon, NULL))
		return 1;
	if (strcmp(how, "rule"))
		interrupted_here();
	else
		by_rule(&handled);
	printf("pid=%d handled=%d\n", getpid(), handled);
	return 0;
}
