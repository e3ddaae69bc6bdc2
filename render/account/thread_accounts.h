/*
 * thread_accounts: what each thread of a selection did with its time: on a CPU, ready, and waiting
 * by class; and in which functions it waited. For the sentence and the facts of the summary.
 */
#ifndef ACCOUNT_THREAD_ACCOUNTS_H
#define ACCOUNT_THREAD_ACCOUNTS_H

#include "base/hash.h"
#include "query/filter.h"
#include "query/wait_class.h"

/* A thread, whatever its names were. */
struct thread_account {
	uint32_t number;	  /* among all, until they are sorted */
	uint32_t thread;	  /* its last row */
	int64_t on, ready;	  /* on a CPU, and runnable */
	int64_t of[WAIT_CLASSES]; /* WAIT_NONE: both */
};

/* What a thread waited in one function for one kind of reason. */
struct thread_hold {
	uint32_t account, function;
	uint8_t kind, class;
	int64_t value;
};

struct thread_accounts {
	const struct profile *p; /* borrowed */
	struct filter filter;
	const struct wait_classes *classes;
	VEC(struct thread_account) all;
	VEC(struct thread_hold) holds;
	struct map by_thread, by_hold;
	struct wait_classes own;  /* where the selection keeps none */
	int64_t of[WAIT_CLASSES]; /* sums */
	size_t threads[WAIT_CLASSES];
	const char *unit;
};

/* Of all that the selection takes, idle waits too; where it names no metric, of as much of the
 * threads' lives as there is: wall, off-cpu, else the first metric. Empty where it is wrong or
 * there is no metric. To be released in any case. */
void thread_accounts_init(struct thread_accounts *, const struct profile *,
			  const struct selection *);
void thread_accounts_release(struct thread_accounts *);

/* Whether sample @row is of a thread that was ready without a CPU. */
bool thread_accounts_is_ready(const struct profile *, size_t row);

/* Sorts the threads by that class, largest first. */
void thread_accounts_sort(struct thread_accounts *, size_t class);

/* All of a thread's amount. */
int64_t thread_account_whole(const struct thread_account *);

/* Where a thread waited most, in waits of that class; NULL: nowhere. */
const struct thread_hold *thread_accounts_hold(const struct thread_accounts *, uint32_t account,
					       size_t class);

/* Whether any of it is a wait. */
bool thread_accounts_wait(const struct thread_accounts *);

#endif
