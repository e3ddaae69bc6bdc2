// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_signal WAY ROUNDS: signal handlers amid calls. WAY: stack, on an alternate stack, raised at
 * every depth, nested; same, the same without one; jump, left by siglongjmp, on either stack, and
 * after faults; timer, as stack, while a timer of 0.5 ms comes between any two instructions; trap,
 * an int3 of the program's own, and single steps by its own trap flag. Status 16.
 */
#include <setjmp.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "zone.h"

static sigjmp_buf back;
static volatile uint64_t handled, ticks, steps;
static char *volatile nowhere;
static char way = 's';

FRAME uint64_t zg_leaf(uint64_t x)
{
	return turns(x, 20);
}

FRAME void zg_inner_handler(int number)
{
	handled = handled * 31 + zg_leaf(number);
}

FRAME void zg_handler(int number)
{
	handled = handled * 17 + zg_leaf(number);
	raise(SIGUSR2);
	if (way == 'j')
		siglongjmp(back, number);
}

FRAME void zg_tick(int number)
{
	ticks += zg_leaf(number) != 0;
}

FRAME void zg_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	handled += zg_leaf(number) + (uintptr_t)info->si_addr;
	siglongjmp(back, number);
}

FRAME void zg_step(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	(void)info;
	steps++;
}

FRAME uint64_t zg_down(int depth, int number)
{
	uint64_t below = depth ? zg_down(depth - 1, number) : zg_leaf(depth);

	if (number == SIGSEGV && !depth)
		*nowhere = 1;
	if (depth % 4 == 0 && number != SIGSEGV)
		raise(number);
	return below * 3 + depth;
}

FRAME uint64_t zg_trap(uint64_t x)
{
	__asm__ volatile("int3");
	return zg_leaf(x) + 1;
}

/* With the trap flag on, each instruction of ours ends in a SIGTRAP: how many depends upon who
 * else steps, so only that there are some is said. */
FRAME uint64_t zg_flagged(uint64_t x)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory");
	x = x * 5 + 1;
	x ^= x >> 3;
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : "+r"(x)::"cc", "memory");
	return x;
}

FRAME uint64_t zg_jumps(int depth, int number)
{
	volatile uint64_t caught = 0;

	if (!sigsetjmp(back, 1))
		zg_down(depth, number);
	else
		caught = number;
	return caught;
}

static uint64_t one_round(void)
{
	uint64_t sum = 0;

	handled = steps = 0;
	for (int depth = 0; depth < 20; depth++) {
		if (way == 'j')
			sum += zg_jumps(depth, depth % 2 ? SIGUSR1 : SIGSEGV);
		else if (way == 't' && depth % 2)
			sum += zg_trap(depth) + zg_flagged(depth) + !steps;
		else
			sum += zg_down(depth, SIGUSR1);
		sum = sum * 31 + handled;
	}
	return sum;
}

static void set(int number, void *handler, int flags)
{
	struct sigaction action = {.sa_flags = flags};

	*(void **)&action.sa_handler = handler;
	sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "stack";
	int timer = !strcmp(name, "timer"), on = strcmp(name, "same") ? SA_ONSTACK : 0;
	stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};

	way = !strcmp(name, "jump") ? 'j' : !strcmp(name, "trap") ? 't' : 's';
	sigaltstack(&other, NULL);
	set(SIGUSR1, zg_handler, on);
	set(SIGUSR2, zg_inner_handler, on);
	set(SIGSEGV, zg_fault, SA_SIGINFO | on);
	set(SIGTRAP, zg_step, SA_SIGINFO | on);
	set(SIGALRM, zg_tick, SA_RESTART | on);
	rounds_open(argc, argv, 2, 20);
	if (timer)
		setitimer(ITIMER_REAL, &often, NULL);
	while (rounds_next())
		rounds_result(one_round());
	setitimer(ITIMER_REAL, &never, NULL);
	if (!timer && way == 's') {
		rounds_calls("zg_down", 210);
		rounds_calls("zg_handler", 60);
		rounds_calls("zg_inner_handler", 60);
		rounds_calls("zg_leaf", 20 + 120);
	}
	return rounds_end(16);
}
