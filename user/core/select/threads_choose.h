/*
 * threads_choose: which threads of a profile --thread, --pid and --cgroup take. For selections and
 * merges.
 */
#ifndef SELECT_THREADS_CHOOSE_H
#define SELECT_THREADS_CHOOSE_H

#include "model/profile.h"

/* Each a list, "4711,4712,sqlite*": of numbers and patterns on the name of the thread or process;
 * of patterns on the path of the cgroup, all of it or its end. One of them must take it. NULL:
 * takes all. Borrowed. */
struct thread_choice {
	const char *thread, *pid, *cgroup;
};

/* Whether it takes all threads. */
bool thread_choice_is_all(const struct thread_choice *);
/* -EINVAL with a text for a bad pattern. */
int thread_list_check(const char *text);

/* *@out: per thread whether all of them take it; NULL where there is no choice. Freed by the
 * caller. -EINVAL for a bad pattern, -ENOENT where they take none, with a text. */
int threads_choose(const struct profile *, const struct thread_choice *, bool **out);

#endif
