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
#include <sys/resource.h>
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

/* Waits until a child ends, and reaps it, with @status and @usage as of wait4(2), which may be
 * NULL. One that has not ended after @ms milliseconds is killed. Where that does not end it, since
 * it is in a system call that does not return (a file on a mount that does not answer) or nobody
 * here may kill it, it is left alone after another CHILD_KILLED_MS: -ETIMEDOUT. -ECHILD: it is no
 * child of this process, or was reaped before. */
#define CHILD_KILLED_MS 2000
int child_await(pid_t child, int ms, int *status, struct rusage *usage);

/* In such a child, before it makes a result visible: whether its parent has ended. */
bool child_is_orphan(void);

/* Whether the signal that ended a child which read a foreign file was a fault of what ran there, or
 * a bound that it met; no one from outside sent it. */
bool ending_is_crash(int signal_number);
/* "crashed (Segmentation fault)" and the like; static. */
const char *ending_text(int signal_number);

#endif
