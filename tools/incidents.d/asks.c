/* asks: the thread front serves what the main thread asks for, and waits for backend by a socket, which
 * takes 30 ms for an answer. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int client[2], inner[2];

static void compute(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

__attribute__((noinline)) static void ask_backend(void)
{
	char c = 'q';

	if (write(inner[0], &c, 1) == 1 && read(inner[0], &c, 1) != 1)
		_exit(1);
}

__attribute__((noinline)) static void handle_request(void)
{
	compute(5000000);
	ask_backend();
	compute(2000000);
}

static void *front(void *argument)
{
	char c;

	pthread_setname_np(pthread_self(), "front");
	while (read(client[1], &c, 1) == 1) {
		handle_request();
		if (write(client[1], &c, 1) != 1)
			break;
	}
	return argument;
}

static void *backend(void *argument)
{
	char c;

	pthread_setname_np(pthread_self(), "backend");
	while (read(inner[1], &c, 1) == 1) {
		usleep(30000);
		if (write(inner[1], &c, 1) != 1)
			break;
	}
	return argument;
}

int main(void)
{
	pthread_t thread;
	char c = 'r';

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, client) || socketpair(AF_UNIX, SOCK_STREAM, 0, inner))
		return 1;
	pthread_create(&thread, NULL, backend, NULL);
	pthread_create(&thread, NULL, front, NULL);
	while (write(client[0], &c, 1) == 1 && read(client[0], &c, 1) == 1)
		usleep(20000);
}
