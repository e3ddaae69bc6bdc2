/*
 * hot_path: where a thread ran or waited: the function in which it was most by itself, and the
 * branch of its calls that has most of the time. For the sentence of the summary.
 */
#ifndef ACCOUNT_HOT_PATH_H
#define ACCOUNT_HOT_PATH_H

#include "base/str.h"
#include "account/thread_accounts.h"

/* The last functions of a branch, at most. */
#define HOT_CALLS 3

/* It goes on to a callee as long as that has more than half of all. None of its functions is one
 * that only starts programs and threads. */
struct hot_branch {
	uint32_t calls[HOT_CALLS]; /* the outermost first */
	size_t n;
	/* The innermost function before these that is a script's, or that a runtime compiled: of
	 * a script that calls the runtime's own code the one that is known to who wrote it. 0:
	 * none, or they have one. */
	uint32_t script;
	int64_t value; /* in the last of them, with what that calls */
	/* Of waits: what most of them were for, a string; 0: several things, or none is known. */
	uint32_t object;
};

/* Adds "readRows > … > JsonParser<…>::ParseJson", in short names. */
void hot_branch_text(const struct profile *, const struct hot_branch *, struct str *);

struct hot_path {
	size_t samples;
	uint32_t self; /* the function it was most in; 0: none is known */
	int64_t self_value;
	int64_t kernel; /* in the kernel */
	struct hot_branch branch;
};

/* Of the thread's samples on a CPU. */
struct hot_path hot_path_find(const struct thread_accounts *, const struct thread_account *);

/* The calls that led to more than half of a thread's waits in one function, which is the last of
 * them. */
struct hot_branch hot_path_to_wait(const struct thread_accounts *, const struct thread_account *,
				   const struct thread_hold *);

#endif
