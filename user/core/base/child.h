/*
 * child: a process that works for the one that forked it, and ends with it. The kernel kills it
 * when its parent dies, however that happens; for a process in a system call that cannot be
 * interrupted, when the call returns.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* As fork(2); the child ends with this process, at once where it has ended already. */
pid_t child_fork(void);

/* In such a child after a change of its user, by which the kernel forgets about it. */
void child_tie(void);

/* In such a child, before it makes a result visible: whether its parent has ended. */
bool child_is_orphan(void);

#endif
