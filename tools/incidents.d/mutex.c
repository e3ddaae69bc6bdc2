/* mutex: four threads want queue_lock, which flusher holds for 40 of each 50 ms. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t taken;

__attribute__((noinline)) static void write_queue_to_disk(void)
{
	usleep(40000);
}

static void *flush(void *argument)
{
	pthread_setname_np(pthread_self(), "flusher");
	for (;;) {
		pthread_mutex_lock(&queue_lock);
		write_queue_to_disk();
		pthread_mutex_unlock(&queue_lock);
		usleep(10000);
	}
	return argument;
}

__attribute__((noinline)) static void take_from_queue(void)
{
	pthread_mutex_lock(&queue_lock);
	taken++;
	pthread_mutex_unlock(&queue_lock);
}

static void *work(void *argument)
{
	pthread_setname_np(pthread_self(), "worker");
	for (;;) {
		take_from_queue();
		for (volatile int i = 0; i < 1000000; i++)
			;
	}
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, flush, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, work, NULL);
	pause();
}
