/*
 * leak: a server that allocates 10,000 times a second in four threads, keeps a cache of a constant
 * size, and loses one of 100 blocks: the session of a request that has failed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4
#define CACHE	1000
#define OWN	__attribute__((noinline))

struct session {
	char *request, *reply, state[984];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *cache[CACHE];

OWN static char *parse_request(unsigned n)
{
	char *text = strdup("GET /index.html HTTP/1.1"), *header[4];

	for (int i = 0; i < 4; i++)
		header[i] = malloc(200 + (n + (unsigned)i * 37) % 400);
	for (int i = 0; i < 4; i++)
		free(header[i]);
	return text;
}

OWN static void cache_put(unsigned n)
{
	char *page = malloc(1000);

	pthread_mutex_lock(&lock);
	free(cache[n % CACHE]);
	cache[n % CACHE] = page;
	pthread_mutex_unlock(&lock);
}

OWN static char *make_reply(unsigned n)
{
	char *reply = NULL;

	for (size_t size = 500; size <= 1500; size += 500)
		reply = realloc(reply, size + n % 100);
	return reply;
}

OWN static struct session *session_open(void)
{
	return calloc(1, sizeof(struct session));
}

/* One request in ten fails: one allocation in 100 is lost. */
OWN static void serve(unsigned n)
{
	struct session *s = session_open();

	s->request = parse_request(n);
	s->reply = make_reply(n);
	cache_put(n * 31);
	free(s->request);
	free(s->reply);
	if (n / THREADS % 10)
		free(s);
}

/* 10 allocations a request. */
static void *worker(void *first)
{
	for (unsigned n = (unsigned)(size_t)first;; n += THREADS) {
		serve(n);
		usleep(THREADS * 1000 - 100);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	for (size_t i = 1; i < THREADS; i++)
		if (pthread_create(&t, NULL, worker, (void *)i))
			return 1;
	worker(NULL);
}
