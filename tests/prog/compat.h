/*
 * compat: whether there are system calls of i386 by interrupt 0x80. A kernel without them answers
 * with SIGSEGV, a seccomp filter as it likes.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>

#define COMPAT_GETPID 20

static sigjmp_buf compat_refused;

static void compat_refuse(int signal)
{
	(void)signal;
	siglongjmp(compat_refused, 1);
}

/* The number of a system call in, its answer out. */
static inline long compat_call(long number, const void *argument)
{
	__asm__ volatile("int $0x80"
			 : "+a"(number)
			 : "b"(argument), "c"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return number;
}

static inline bool has_compat(void)
{
	static const int signals[] = {SIGSEGV, SIGSYS, SIGILL};
	const struct sigaction refuse = {.sa_handler = compat_refuse};
	struct sigaction before[3];
	volatile bool there = false;

	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &refuse, &before[i]);
	if (!sigsetjmp(compat_refused, 1))
		there = compat_call(COMPAT_GETPID, NULL) > 0;
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &before[i], NULL);
	return there;
}

#endif
