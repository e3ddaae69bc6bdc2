/*
 * leftover: temporary files beside an output (file.h) whose maker was killed. The maker locks its
 * file as long as it lives; the next process that makes a file in that folder removes those that
 * nobody locks. Used by file.c only.
 */
#ifndef BASE_LEFTOVER_H
#define BASE_LEFTOVER_H

#include <stdbool.h>

/* An unpredictable name for a temporary file in @folder; freed by the caller. */
char *leftover_name(const char *folder);
/* Locks a new one until all its descriptors are closed. False: another process took it for a
 * leftover and removed it. */
bool leftover_lock(int fd);
/* Once it has its final name. */
void leftover_unlock(int fd);
/* Removes those from @folder that are of this process's user or caller, if it may. */
void leftover_remove(const char *folder);

#endif
