// cflags: -O2 -fomit-frame-pointer -fexceptions -fno-optimize-sibling-calls
/*
 * zone_threads WAY ROUNDS: threads that end within calls, each some frames down. WAY: exit, by
 * pthread_exit; cancel, cancelled at a cancellation point; async, cancelled anywhere; plain, by
 * return; detach, detached ones that exit. What they leave behind is cleaned up by handlers and
 * by variables' own functions. Status 18.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "zone.h"

#define THREADS 8

static uint64_t cleaned[2];
static sem_t ready, never;
static int way;

FRAME uint64_t zh_leaf(uint64_t x)
{
	return turns(x, 20);
}

FRAME void zh_handler(void *by)
{
	__atomic_add_fetch(&cleaned[0], (uintptr_t)by, __ATOMIC_RELAXED);
}

FRAME void zh_scope_end(int *by)
{
	__atomic_add_fetch(&cleaned[1], *by, __ATOMIC_RELAXED);
}

FRAME void zh_end(void)
{
	volatile uint64_t x = 1;
	int old;

	if (way == 'a')
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	if (way != 'p')
		sem_post(&ready);
	if (way == 'e' || way == 'd')
		pthread_exit((void *)(uintptr_t)zh_leaf(3));
	if (way == 'c')
		sem_wait(&never);
	while (way == 'a')
		if (++x % 1000 == 0)
			sched_yield();
}

FRAME int zh_down(int depth)
{
	int kept __attribute__((cleanup(zh_scope_end))) = depth + 1, below = 0;

	pthread_cleanup_push(zh_handler, (void *)(uintptr_t)(depth + 1));
	if (depth)
		below = zh_down(depth - 1);
	else
		zh_end();
	pthread_cleanup_pop(1);
	return below + kept;
}

FRAME void *zh_thread(void *unused)
{
	uintptr_t sum = zh_down(9) + (unused != NULL);

	return (void *)(uintptr_t)(zh_leaf(3) + sum);
}

static uint64_t detached(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread, NULL, zh_thread, NULL);
		pthread_detach(thread);
		sem_wait(&ready);
	}
	while (__atomic_load_n(&cleaned[0], __ATOMIC_RELAXED) != THREADS * 55 ||
	       __atomic_load_n(&cleaned[1], __ATOMIC_RELAXED) != THREADS * 55)
		usleep(100);
	return 1;
}

static uint64_t one_round(void)
{
	pthread_t thread[THREADS];
	uint64_t sum = 0;

	cleaned[0] = cleaned[1] = 0;
	if (way == 'd')
		return detached();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, zh_thread, NULL);
	for (int i = 0; i < THREADS && way != 'p'; i++)
		sem_wait(&ready);
	for (int i = 0; i < THREADS; i++) {
		void *value;

		if (way == 'c' || way == 'a')
			pthread_cancel(thread[i]);
		pthread_join(thread[i], &value);
		sum = sum * 31 + (uintptr_t)value;
	}
	return sum + cleaned[0] * 1000 + cleaned[1];
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1][0] : 'e';
	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	rounds_open(argc, argv, 2, 10);
	while (rounds_next())
		rounds_result(one_round());
	rounds_calls("zh_thread", THREADS);
	rounds_calls("zh_down", THREADS * 10);
	rounds_calls("zh_end", THREADS);
	rounds_calls("zh_handler", THREADS * 10);
	rounds_calls("zh_scope_end", THREADS * 10);
	return rounds_end(18);
}
