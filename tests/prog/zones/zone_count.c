// cflags: -O2 -fomit-frame-pointer
/*
 * zone_count THREADS ROUNDS: how often each of THREADS threads calls functions of every kind: with
 * a nop at the entry, a push, or neither; that return in several places; that call themselves;
 * that leave by a jump; that are called by a library's function. Says it of all together; status
 * 41.
 */
#include <pthread.h>

#include "zone.h"
#include "zone_stub.h"

#define THREADS_MAX 64

uint64_t zn_target(uint64_t x);
STUB(zn_nop, nop, zn_target);
STUB(zn_push, push, zn_target);
STUB(zn_step, step, zn_target);

static pthread_barrier_t start;
static long wanted;

FRAME uint64_t zn_target(uint64_t x)
{
	return x * 3 + 1;
}

/* Returns in three places, and tests before it does anything. */
FRAME uint64_t zn_free(const uint64_t *p)
{
	if (!p)
		return 0;
	if (*p % 3 == 0)
		return zn_target(*p) + 1;
	return zn_target(zn_target(*p)) + 2;
}

/* In earnest: not as a loop. */
__attribute__((optimize("no-optimize-sibling-calls"))) FRAME uint64_t zn_again(uint64_t n)
{
	return n ? zn_again(n - 1) * 2 + 1 : 1;
}

FRAME uint64_t zn_jump(uint64_t x)
{
	return zn_target(x);
}

FRAME int zn_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static uint64_t one_round(uint64_t *compared)
{
	uint64_t sum = 0, x = 0;
	int key = 5, numbers[] = {1, 2, 3, 4, 5, 6, 7};

	for (uint64_t i = 0; i < 50; i++) {
		sum = sum * 31 + zn_nop(i) + zn_push(i) + zn_step(i) + zn_jump(i);
		x = i;
		sum += zn_free(i % 5 ? &x : NULL) + zn_again(i % 7);
	}
	/* 4, 6, 5: three comparisons. */
	sum += bsearch(&key, numbers, 7, sizeof(int), zn_compare) == numbers + 4;
	*compared += 3;
	return sum;
}

static void *thread(void *unused)
{
	uint64_t sum = 0, compared = 0;

	(void)unused;
	pthread_barrier_wait(&start);
	for (long i = 0; i < wanted; i++)
		sum = one_round(&compared);
	return (void *)(uintptr_t)sum;
}

static void say(const char *function, uint64_t n)
{
	rounds_calls(function, n);
}

int main(int argc, char **argv)
{
	int threads = arg(argc, argv, 1, 1);
	pthread_t all[THREADS_MAX];
	void *sum = NULL;
	uint64_t n;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	wanted = arg(argc, argv, 2, 20);
	n = threads * wanted;
	pthread_barrier_init(&start, NULL, threads);
	rounds_open(argc, argv, 3, 1);
	while (rounds_next()) {
		for (int i = 0; i < threads; i++)
			pthread_create(&all[i], NULL, thread, NULL);
		for (int i = 0; i < threads; i++)
			pthread_join(all[i], &sum);
		rounds_result((uintptr_t)sum);
	}
	say("zn_nop", 50 * n);
	say("zn_push", 50 * n);
	say("zn_step", 50 * n);
	say("zn_jump", 50 * n);
	say("zn_free", 50 * n);
	/* i % 7 over 0 … 49: seven times 0 … 6, and 0. */
	say("zn_again", (7 * 28 + 1) * n);
	say("zn_compare", 3 * n);
	/* Of the 40 that are not NULL, 13 are divisible by 3. */
	say("zn_target", (4 * 50 + 13 + 2 * 27) * n);
	return rounds_end(41);
}
