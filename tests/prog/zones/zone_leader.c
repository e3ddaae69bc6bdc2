/*
 * zone_leader: at the first line the first thread exits, and the other one loads libz; at the next
 * one it calls its crc32_z a hundred times.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "prog.h"

static pthread_t leader;

static void *go_on(void *unused)
{
	unsigned long (*crc)(unsigned long, const uint8_t *, size_t);
	void *lib;

	(void)unused;
	pthread_join(leader, NULL);
	lib = dlopen("libz.so.1", RTLD_NOW);
	if (!lib)
		exit(1);
	*(void **)&crc = dlsym(lib, "crc32_z");
	puts("loaded");
	fflush(stdout);
	wait_for_line();
	for (int i = 0; i < 100; i++)
		crc(0, (const uint8_t *)"abc", 3);
	exit(0);
}

int main(void)
{
	pthread_t other;

	leader = pthread_self();
	pthread_create(&other, NULL, go_on, NULL);
	puts("ready");
	fflush(stdout);
	wait_for_line();
	pthread_exit(NULL);
}
