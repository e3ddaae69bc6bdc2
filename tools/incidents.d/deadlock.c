/* deadlock: the threads left and right have a lock each, and want the other's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void transfer(pthread_mutex_t *from, pthread_mutex_t *to)
{
	pthread_mutex_lock(from);
	usleep(100000);
	pthread_mutex_lock(to);
	pthread_mutex_unlock(to);
	pthread_mutex_unlock(from);
}

static void *go_left(void *argument)
{
	pthread_setname_np(pthread_self(), "left");
	transfer(&left_lock, &right_lock);
	return argument;
}

static void *go_right(void *argument)
{
	pthread_setname_np(pthread_self(), "right");
	transfer(&right_lock, &left_lock);
	return argument;
}

int main(void)
{
	pthread_t left, right;

	pthread_create(&left, NULL, go_left, NULL);
	pthread_create(&right, NULL, go_right, NULL);
	pthread_join(left, NULL);
	pthread_join(right, NULL);
}
