/*
 * effort: what a parser takes to read a file: steps of its code (work.h), calls of pread(2), bytes
 * read, bytes allocated, whether freed again or not. No clock: the figures are the same on every
 * machine, but for the code that the compiler made. Every read is checked, too, to be into memory
 * that is there.
 */
#ifndef TESTS_EFFORT_H
#define TESTS_EFFORT_H

#include <sanitizer/asan_interface.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

struct effort {
	uint64_t steps, reads, read_bytes, allocated_bytes;
};

static struct effort spent; /* but for steps */
static uint64_t steps_before;

/* Of sanitizer/allocator_interface.h, which gcc does not bring. */
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
					      void (*)(const volatile void *));

/* In the place of the C library's. */
ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
	spent.reads++;
	spent.read_bytes += n;
	assert_null(__asan_region_is_poisoned(buf, n));
	assert_true(offset >= 0);
	return syscall(SYS_pread64, fd, buf, n, offset);
}

static void on_malloc(const volatile void *at, size_t n)
{
	(void)at;
	spent.allocated_bytes += n;
}

static void on_free(const volatile void *at)
{
	(void)at;
}

/* Once, before all others: allocations count from now on. */
static void effort_count(void)
{
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

static void effort_start(void)
{
	spent = (struct effort){0};
	steps_before = work_steps;
}

/* Since the start. */
static struct effort effort_spent(void)
{
	struct effort e = spent;

	e.steps = work_steps - steps_before;
	return e;
}

#endif
