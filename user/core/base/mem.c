#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>

static __attribute__((noreturn)) void die(size_t n, size_t size)
{
	fprintf(stderr, "%s: out of memory (%zu x %zu bytes)\n", program_invocation_short_name, n,
		size);
	exit(1);
}

void *mem_zalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p && n && size)
		die(n, size);
	return p;
}

void *mem_realloc(void *ptr, size_t n, size_t size)
{
	void *p = reallocarray(ptr, n, size);

	if (!p && n && size)
		die(n, size);
	return p;
}

void *mem_shared(size_t n, size_t size)
{
	void *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die(n, size);
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, SIZE_MAX);
}

char *mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = mem_zalloc(len + 1, 1);

	memcpy(copy, s, len);
	return copy;
}

char *mem_vprintf(const char *fmt, va_list args)
{
	char *s;

	if (vasprintf(&s, fmt, args) < 0)
		die(1, strlen(fmt));
	return s;
}

char *mem_printf(const char *fmt, ...)
{
	va_list args;
	char *s;

	va_start(args, fmt);
	s = mem_vprintf(fmt, args);
	va_end(args);
	return s;
}

uint64_t mem_most(void)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	return !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur < all ? limit.rlim_cur : all;
}

void mem_cleanup_free(void *pointer_to_pointer)
{
	void *p;

	memcpy(&p, pointer_to_pointer, sizeof(p));
	free(p);
}

void mem_cleanup_close(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}
