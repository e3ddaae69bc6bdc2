/*
 * open_as: opens files as another user, in a child process that becomes that user first.
 */
#ifndef CREW_OPEN_AS_H
#define CREW_OPEN_AS_H

#include <stddef.h>

/* @become gives up rights for good. *@fds: regular files, for the caller to close; -1 what cannot
 * be opened. */
void open_as(int (*become)(void), const char *const *paths, size_t n, int *fds);

#endif
