/*
 * syscalls: the names of Linux's system calls by their numbers, as of the kernel headers that this
 * program was built with.
 */
#ifndef WAITS_SYSCALLS_H
#define WAITS_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

/* @compat: by the numbers of i386, else of x86-64. NULL: it is newer than the headers, or none. */
const char *syscall_name(uint32_t number, bool compat);

#endif
