/*
 * syscallbook: sums of system calls by thread, call and error, until they are written. For
 * source/syscalls.c.
 */
#ifndef BOOK_SYSCALLBOOK_H
#define BOOK_SYSCALLBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "stack/survivors.h"
#include "stack/assembly.h"
#include "wire_syscalls.h"

/* Rows at a time, at most. */
#define SYSCALLBOOK_ROWS (512u << 10)

struct syscall_row {
	uint32_t thread; /* of procs */
	uint32_t call, error;
	struct wire_syscall_sums sums;
};

struct syscallbook {
	VEC(struct syscall_row) rows;
	struct map by_key; /* → rows of the present window */
	size_t ended;	   /* rows of the window that is being written */
	uint64_t left_out; /* calls, since there were too many rows */
};

void syscallbook_release(struct syscallbook *);
void syscallbook_add(struct syscallbook *, const struct syscall_row *);
void syscallbook_put(const struct syscallbook *, struct assembly *);
/* "read", "read (i386)", "syscall 999"; freed by the caller. */
char *syscallbook_name(uint32_t call);

/* See source.h. */
void syscallbook_window_end(struct syscallbook *);
void syscallbook_window_forget(struct syscallbook *, struct survivors *);
void syscallbook_window_renumber(struct syscallbook *, const struct survivors *);

#endif
