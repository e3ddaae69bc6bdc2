/*
 * shim: logs what a program asks of its allocator, to be compared with a profile: preloaded, it
 * takes the place of glibc's functions and calls these. What it counts is in the file HEAP_LOG,
 * mapped by all processes, so that it is right to the last call: heap_log.h has its layout.
 *
 * cc -shared -fPIC -O2 -o shim.so shim.c
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap_log.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static struct heap_log *log;
static __thread uint64_t last;
static uint32_t exec; /* of the process: this program's own number */

static struct heap_log *map_log(void)
{
	const char *path = getenv("HEAP_LOG");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at = fd >= 0 ? mmap(NULL, sizeof(*log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			   : MAP_FAILED;

	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		_exit(99);
	log = at;
	exec = __sync_add_and_fetch(&log->programs, 1);
	return log;
}

static struct heap_log *lock(void)
{
	struct heap_log *l = log ? log : map_log();

	while (__sync_lock_test_and_set(&l->lock, 1))
		;
	return l;
}

static void unlock(struct heap_log *l)
{
	__sync_lock_release(&l->lock);
}

static uint64_t key_of(const void *p)
{
	return (uint64_t)(uintptr_t)p ^ (uint64_t)getpid() << 48 ^ (uint64_t)exec << 56;
}

static struct heap_entry *find(struct heap_log *l, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - HEAP_LOG_BITS);

	while (l->entries[at].key && l->entries[at].key != key)
		at = (at + 1) % HEAP_LOG_ENTRIES;
	return &l->entries[at];
}

/* Entries stay, as others may have been put behind them. */
static void note_alloc(struct heap_log *l, void *p, size_t size)
{
	struct heap_entry *e = find(l, key_of(p));

	e->key = key_of(p);
	e->size = size;
	e->live = true;
	l->calls++;
	l->bytes += size;
	l->live++;
	l->live_bytes += size;
	if (l->live_bytes > l->peak_bytes)
		l->peak_bytes = l->live_bytes;
	last = key_of(p);
}

static void note_free(struct heap_log *l, void *p)
{
	struct heap_entry *e = find(l, key_of(p));

	if (!e->key || !e->live) {
		l->unknown++;
	} else {
		e->live = false;
		l->live--;
		l->live_bytes -= e->size;
		l->temporary += last == key_of(p);
	}
	last = 0;
}

static void *done(void *p, size_t size)
{
	struct heap_log *l;

	if (!p)
		return p;
	l = lock();
	note_alloc(l, p, size);
	unlock(l);
	return p;
}

void *malloc(size_t size)
{
	return done(__libc_malloc(size), size);
}

void *calloc(size_t n, size_t size)
{
	return done(__libc_calloc(n, size), n * size);
}

void *memalign(size_t alignment, size_t size)
{
	return done(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return done(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *p = __libc_memalign(alignment, size);

	if (!p)
		return ENOMEM;
	*out = done(p, size);
	return 0;
}

/* The old block leaves under the lock that the new one comes under, so that no other thread can be
 * handed its address in between. */
void *realloc(void *old, size_t size)
{
	struct heap_log *l = lock();
	void *p = __libc_realloc(old, size);

	if (old && (p || !size))
		note_free(l, old);
	if (p)
		note_alloc(l, p, size);
	unlock(l);
	return p;
}

void free(void *p)
{
	struct heap_log *l;

	if (!p)
		return;
	l = lock();
	note_free(l, p);
	__libc_free(p);
	unlock(l);
}
