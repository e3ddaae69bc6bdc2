// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_ucontext WAY ROUNDS: generators made with swapcontext, which give up the CPU from any depth
 * of a recursion. WAY: heap, their stacks side by side in one block of malloc; map, each in a
 * mapping of its own; roam, as heap, and four threads resume whichever is next. Status 11.
 */
#include <pthread.h>
#include <string.h>
#include <ucontext.h>

#include "zone.h"

#define GENERATORS 8
#define STACK	   (64 << 10)
#define DEPTH	   6 /* of the tree that a generator walks: 127 nodes, 63 within */

struct generator {
	ucontext_t self, user;
	char *stack;
	uint64_t value, key;
	int more;
};

static struct generator all[GENERATORS];
static char *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;
static uint64_t sum;

FRAME uint64_t zu_leaf(uint64_t key, uint64_t place)
{
	return turns(key ^ place, 20);
}

FRAME void zu_give(struct generator *g, uint64_t value)
{
	g->value = value;
	swapcontext(&g->self, &g->user);
}

/* Each node gives one value, between those of the nodes below it. */
FRAME uint64_t zu_walk(struct generator *g, int depth, uint64_t place)
{
	uint64_t below = 0;

	if (depth)
		below += zu_walk(g, depth - 1, 2 * place);
	zu_give(g, zu_leaf(g->key, place));
	if (depth)
		below += zu_walk(g, depth - 1, 2 * place + 1);
	return below + 1;
}

FRAME void zu_body(unsigned low, unsigned high)
{
	struct generator *g = (struct generator *)((uintptr_t)high << 32 | low);

	zu_give(g, zu_walk(g, DEPTH, 1));
	g->more = 0;
}

FRAME void zu_resume(struct generator *g)
{
	swapcontext(&g->user, &g->self);
}

static void make(struct generator *g, uint64_t key)
{
	uintptr_t p = (uintptr_t)g;

	getcontext(&g->self);
	g->self.uc_stack.ss_sp = g->stack;
	g->self.uc_stack.ss_size = STACK;
	g->self.uc_link = &g->user;
	g->key = key;
	g->more = 1;
	makecontext(&g->self, (void (*)(void))zu_body, 2, (unsigned)p, (unsigned)(p >> 32));
}

/* The next value of the next generator; 0 when all have ended. */
static int take_turn(void)
{
	for (int tried = 0; tried < GENERATORS; tried++) {
		struct generator *g = &all[next++ % GENERATORS];

		if (!g->more)
			continue;
		zu_resume(g);
		if (g->more)
			sum += g->value;
		return 1;
	}
	return 0;
}

static void *roam(void *unused)
{
	for (int more = 1; more;) {
		pthread_mutex_lock(&lock);
		more = take_turn();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void one_round(int threads)
{
	pthread_t thread[4];

	sum = next = 0;
	for (int i = 0; i < GENERATORS; i++)
		make(&all[i], i + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, roam, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	if (!threads)
		roam(NULL);
	rounds_result(sum);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "heap";

	rounds_open(argc, argv, 2, 10);
	block = malloc(GENERATORS * STACK);
	for (int i = 0; i < GENERATORS; i++)
		all[i].stack = strcmp(way, "map") ? block + (size_t)i * STACK
						  : mmap(NULL, STACK, PROT_READ | PROT_WRITE,
							 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (rounds_next())
		one_round(strcmp(way, "roam") ? 0 : 4);
	free(block);
	rounds_calls("zu_body", GENERATORS);
	rounds_calls("zu_walk", GENERATORS * 127);
	rounds_calls("zu_leaf", GENERATORS * 127);
	rounds_calls("zu_give", GENERATORS * 128);
	rounds_calls("zu_resume", GENERATORS * 129);
	return rounds_end(11);
}
