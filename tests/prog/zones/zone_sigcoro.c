// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_sigcoro ROUNDS: coroutines as QEMU makes them: a signal handler on an alternate stack keeps
 * its frame by sigsetjmp, and siglongjmp goes back into it after the handler has returned. They
 * hand on a number to each other. Status 12.
 */
#include <setjmp.h>
#include <string.h>

#include "zone.h"

#define COROUTINES 6
#define STACK	   (64 << 10)
#define TURNS	   20

struct coroutine {
	sigjmp_buf env, *back;
	char *stack;
	uint64_t value;
	int made;
};

static struct coroutine all[COROUTINES];
static struct coroutine *volatile making;
static sigjmp_buf reenter, creator;

FRAME uint64_t zs_leaf(uint64_t x)
{
	return turns(x, 20);
}

/* Gives @value to who resumed us, from some frames down. */
FRAME void zs_yield(struct coroutine *c, int depth, uint64_t value)
{
	if (depth) {
		zs_yield(c, depth - 1, value + 1);
		__asm__ volatile("");
		return;
	}
	c->value = value;
	if (!sigsetjmp(c->env, 0))
		siglongjmp(*c->back, 1);
}

FRAME void zs_run(struct coroutine *c)
{
	for (uint64_t i = 0;; i++)
		zs_yield(c, i % 5, zs_leaf(i));
}

FRAME void zs_bootstrap(void)
{
	struct coroutine *c = making;

	if (!sigsetjmp(c->env, 0))
		siglongjmp(creator, 1);
	zs_run(c);
}

/* Returns as a handler does, and is gone back to. */
FRAME void zs_trampoline(int number)
{
	making->made = number;
	if (!sigsetjmp(reenter, 0))
		return;
	zs_bootstrap();
}

FRAME void zs_resume(struct coroutine *c)
{
	sigjmp_buf here;

	c->back = &here;
	if (!sigsetjmp(here, 0))
		siglongjmp(c->env, 1);
}

FRAME void zs_create(struct coroutine *c)
{
	struct sigaction action = {.sa_handler = zs_trampoline, .sa_flags = SA_ONSTACK}, old;
	stack_t stack = {.ss_sp = c->stack, .ss_size = STACK}, none = {.ss_flags = SS_DISABLE};

	making = c;
	sigaction(SIGUSR2, &action, &old);
	sigaltstack(&stack, NULL);
	raise(SIGUSR2);
	sigaltstack(&none, NULL);
	sigaction(SIGUSR2, &old, NULL);
	if (!sigsetjmp(creator, 0))
		siglongjmp(reenter, 1);
}

int main(int argc, char **argv)
{
	rounds_open(argc, argv, 1, 10);
	for (int i = 0; i < COROUTINES; i++)
		all[i].stack = malloc(STACK);
	while (rounds_next()) {
		uint64_t sum = 0;

		for (int i = 0; i < COROUTINES; i++)
			zs_create(&all[i]);
		for (int i = 0; i < COROUTINES * TURNS; i++) {
			zs_resume(&all[i % COROUTINES]);
			sum = sum * 31 + all[i % COROUTINES].value;
		}
		rounds_result(sum);
	}
	rounds_calls("zs_create", COROUTINES);
	rounds_calls("zs_bootstrap", COROUTINES);
	rounds_calls("zs_run", COROUTINES);
	rounds_calls("zs_leaf", COROUTINES * TURNS);
	rounds_calls("zs_yield", COROUTINES * TURNS * 3);
	rounds_calls("zs_resume", COROUTINES * TURNS);
	return rounds_end(12);
}
