/*
 * syscalls: the system calls of the target as a fact of the summary; their tables are a view.
 */
#ifndef VIEW_SYSCALLS_H
#define VIEW_SYSCALLS_H

#include "view/view.h"

/* "352,939 in 2.36 s: epoll_wait 41.0 %, writev 20.3 %, openat 11.2 % of that time; 3,204 failed";
 * nothing where the capture has none. */
void syscalls_fact(const struct view_input *, struct doc_block *);

#endif
