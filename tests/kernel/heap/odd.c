/*
 * odd: what is rare at allocators, each with an answer that is known: see heap_odd.test. With WAIT
 * set it says "ready", and begins when a line comes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define APART __attribute__((noinline)) static void
static void *kept[3000];
static void *volatile sink;
APART hold(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = malloc(100);
}
APART churn(void)
{
	void *p = sink = malloc(200);
	free(p);
}
static void *endless(void *unused)
{
	for (;;)
		churn();
	return unused;
}
static int ends(const char *how)
{
	pthread_t t;
	hold(1000);
	if (pthread_create(&t, NULL, endless, NULL))
		return 1;
	usleep(100000);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "abort"))
		abort();
	exit(7);
}
APART said(const char *what, void *p)
{
	printf("%s %s\n", p ? "got" : "failed", what);
}
APART large(void)
{
	void *p = malloc((5ul << 30) + 1);
	said("5368709121", p);
	void *q = realloc(p, 6ul << 30);
	if (p)
		said("6442450944", q);
	free(q ? q : p);
}
APART overflown(void)
{
	for (int i = 0; i < 10; i++) {
		if ((sink = calloc((1ul << 33) + 1, 1ul << 31)))
			abort();
		if ((sink = reallocarray(NULL, 1ul << 33, 1ul << 31)))
			abort();
		if ((sink = malloc(PTRDIFF_MAX + 1ul)))
			abort();
		if ((sink = aligned_alloc(64, PTRDIFF_MAX - 4095ul)))
			abort();
	}
}
static pthread_barrier_t all;
APART each(void *at)
{
	*(void **)at = malloc(300);
}
static void *one_of_many(void *at)
{
	each(at);
	pthread_barrier_wait(&all);
	return NULL;
}
static int crowd(int n)
{
	pthread_t t[1000];
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], &small, one_of_many, &kept[i]))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < n / 2; i++)
		free(kept[i]);
	return 0;
}
APART nothing(void)
{
	for (int i = 0; i < 50; i++) {
		void *p = malloc(100);
		sink = p;
		sink = realloc(p, 0);
	}
}
APART from_null(void)
{
	for (int i = 0; i < 50; i++)
		kept[i] = realloc(NULL, 64);
}
APART in_vain(void)
{
	for (int i = 0; i < 50; i++) {
		kept[i] = malloc(70);
		if (realloc(kept[i], PTRDIFF_MAX - 4095ul))
			abort();
	}
}
APART usable(void)
{
	for (int i = 0; i < 50; i++) {
		kept[i] = malloc(33);
		if (malloc_usable_size(kept[i]) < 33)
			abort();
	}
}
APART arrays(void)
{
	for (int i = 0; i < 50; i++)
		kept[i] = reallocarray(NULL, 10, 20);
}
APART copies(void)
{
	for (int i = 0; i < 50; i++)
		kept[i] = strdup("nineteen characters");
}
APART by_libc(void)
{
	char *line = NULL, *text;
	size_t n = 0;
	for (int i = 0; i < 20; i++) {
		FILE *f = fopen("/proc/self/status", "r");
		while (f && getline(&line, &n, f) > 0)
			;
		if (f)
			fclose(f);
		if (asprintf(&text, "%0*d", 300 + i, i) < 0)
			abort();
		kept[i] = text;
	}
	free(line);
}
APART own(void)
{
	for (int i = 0; i < 30; i++)
		kept[1000 + i] = malloc(50);
}
static int forks(void)
{
	hold(100);
	pid_t child = fork();
	if (!child) {
		for (int i = 0; i < 60; i++)
			free(kept[i]);
		own();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	for (int i = 0; i < 100; i++)
		free(kept[i]);
	return 0;
}
/* One child after the other, none of which gives anything back. */
static int children(int n)
{
	while (n--) {
		pid_t child = fork();
		if (!child) {
			hold(1000);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
static int execs(char **argv)
{
	char left[20];
	hold(10);
	snprintf(left, sizeof(left), "%d", atoi(argv[2]) - 1);
	if (atoi(argv[2]) > 1)
		execl("/proc/self/exe", argv[0], argv[1], left, (char *)NULL);
	return 0;
}
static void *(*late_malloc)(size_t);
static void (*late_free)(void *);
APART late(void)
{
	for (int i = 0; i < 100; i++)
		kept[i] = late_malloc(1000);
}
/* Until there are probes in it: until it is not what the file has. */
static void await_probes(const void *function)
{
	const unsigned long at = (unsigned long)function;
	unsigned long from, to, offset;
	unsigned char is[64];
	char line[500], path[400];
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd = -1;
	while (fd < 0 && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %399s", &from, &to, &offset, path) == 4 &&
		    from <= at && at < to)
			fd = open(path, O_RDONLY);
	fclose(maps);
	if (fd < 0 || pread(fd, is, sizeof(is), (off_t)(at - from + offset)) != sizeof(is))
		abort();
	close(fd);
	for (int i = 0; i < 6000 && !memcmp(is, function, sizeof(is)); i++)
		usleep(10000);
	if (!memcmp(is, function, sizeof(is)))
		puts("no probes");
}
static int loads(const char *library)
{
	void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!l) {
		puts(dlerror());
		return 1;
	}
	late_malloc = (void *(*)(size_t))dlsym(l, "malloc");
	late_free = (void (*)(void *))dlsym(l, "free");
	await_probes((void *)late_malloc);
	await_probes((void *)late_free);
	late();
	for (int i = 0; i < 40; i++)
		late_free(kept[i]);
	puts("done");
	fflush(stdout);
	sleep(60);
	return 0;
}
/* 1,000 requests a second of 10 allocations each, one in ten of which keeps one: 1 % leaks. */
static void *connection[64];
APART parse(void)
{
	for (int i = 0; i < 5; i++) {
		char *p = sink = malloc(400);
		free(p);
	}
}
APART reply(void)
{
	for (int i = 0; i < 3; i++) {
		char *p = sink = calloc(1, 3000);
		free(p);
	}
}
APART cache(int n)
{
	free(connection[n % 64]);
	connection[n % 64] = malloc(2000);
}
APART leaks(int n)
{
	char *p = malloc(1500);
	sink = p;
	if (n % 10)
		free(p);
}
static void serve(void)
{
	for (int n = 0;; n++) {
		parse();
		reply();
		cache(n);
		leaks(n);
		if (n % 10 == 9)
			usleep(9000);
	}
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	static char out[1000];
	char line[10];
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	if (getenv("WAIT") && (write(1, "ready\n", 6) < 0 || read(0, line, 1) != 1))
		return 1;
	if (!strcmp(how, "kill") || !strcmp(how, "abort") || !strcmp(how, "exit"))
		return ends(how);
	if (!strcmp(how, "large")) {
		large();
		overflown();
	}
	if (!strcmp(how, "crowd"))
		return crowd(1000);
	if (!strcmp(how, "sizes")) {
		nothing();
		from_null();
		in_vain();
		usable();
		arrays();
		copies();
	}
	if (!strcmp(how, "libc"))
		by_libc();
	if (!strcmp(how, "fork"))
		return forks();
	if (!strcmp(how, "children"))
		return children(atoi(argv[2]));
	if (!strcmp(how, "execs"))
		return execs(argv);
	if (!strcmp(how, "load"))
		return loads(argv[2]);
	if (!strcmp(how, "serve"))
		serve();
	if (!strcmp(how, "busy"))
		endless(NULL);
	return 0;
}
