/*
 * child: a process that works for the one that forked it, and ends with it. The kernel kills it
 * when its parent dies, however that happens; during an uninterruptible system call, when that
 * returns. The kernel does so only if the parent may signal the child: a child of another user than
 * its parent, unless that is root, ends by itself when a socket of its parent's is closed.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* As fork(2); the child ends when this process ends, or has ended. */
pid_t child_fork(void);

/* To be called in such a child after a change of its user, by which the kernel forgets the tie. */
void child_tie(void);

/* Sends SIGKILL to a child; if this process may not, because the child has another user, the killer
 * does. */
void child_kill(pid_t child);
/* Sets the killer, for good. It returns 0, or -errno. */
void child_use_killer(int (*killer)(pid_t));

/* The state of a process, a letter of proc(5), and its parent. False: it cannot be read. */
bool child_look(pid_t pid, char *state, pid_t *parent);
/* Whether somebody stopped it: it does nothing until it is continued. */
bool child_is_stopped(pid_t pid);

/* Waits until a child ends, and reaps it; @status and @usage are as of wait4(2), and may be NULL. A
 * child that runs for more than @ms milliseconds is killed. If it does not end within
 * CHILD_KILLED_MS either, because a system call does not return (its mount does not answer) or
 * nobody may kill it, it is left: -ETIMEDOUT. -ECHILD: it is no child of this process, or was
 * reaped before. */
#define CHILD_KILLED_MS 2000
int child_await(pid_t child, int ms, int *status, struct rusage *usage);

/* In such a child, before it makes a result visible: whether its parent has ended. */
bool child_is_orphan(void);

/* Whether the signal that ended a child which read a foreign file means a crash, or that it met one
 * of its limits, rather than that somebody sent it. */
bool ending_is_crash(int signal_number);
/* "crashed (Segmentation fault)" and the like; static. */
const char *ending_text(int signal_number);

#endif
