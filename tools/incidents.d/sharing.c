/* sharing: two threads count in words of one cache line. */
#include <pthread.h>
#include <stdint.h>

static struct {
	volatile uint64_t left, right;
} counts;

__attribute__((noinline)) static void count_left(void)
{
	for (int i = 0; i < 1000000; i++)
		counts.left++;
}

__attribute__((noinline)) static void count_right(void)
{
	for (int i = 0; i < 1000000; i++)
		counts.right++;
}

static void *go_right(void *argument)
{
	for (;;)
		count_right();
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, go_right, NULL);
	for (;;)
		count_left();
}
