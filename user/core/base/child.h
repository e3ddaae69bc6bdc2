/*
 * child: a process that works for the one that forked it, and ends with it. The kernel kills it
 * when its parent dies, however that happens; for a process in a system call that cannot be
 * interrupted, when the call returns. It does so only where the parent may send a signal to it: one
 * that has another user than its parent, who is not root, sees to it itself that it ends (a socket
 * of its parent's is closed).
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* As fork(2); the child ends with this process, at once where it has ended already. */
pid_t child_fork(void);

/* In such a child after a change of its user, by which the kernel forgets about it. */
void child_tie(void);

/* SIGKILL to a child, also one with another user, where this process may not send it that itself
 * but has somebody who may. */
void child_kill(pid_t child);
/* Who that is: 0, or -errno. For good. */
void child_use_killer(int (*killer)(pid_t));

/* The state of a process, a letter of proc(5), and its parent. False: it is not to be seen. */
bool child_look(pid_t pid, char *state, pid_t *parent);
/* Whether somebody stopped it: it does nothing until it is continued. */
bool child_is_stopped(pid_t pid);

/* In such a child, before it makes a result visible: whether its parent has ended. */
bool child_is_orphan(void);

#endif
