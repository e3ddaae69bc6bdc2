/*
 * leftover: temporary files beside an output (file.h) whose maker was killed. The maker of one
 * holds a lock on it for as long as it lives; the next that makes a file in that folder removes
 * those that nobody locks.
 */
#ifndef BASE_LEFTOVER_H
#define BASE_LEFTOVER_H

#include <stdbool.h>

/* A name for a temporary file in @folder that nobody can foresee; freed by the caller. */
char *leftover_name(const char *folder);
/* Locks a new one, until all its descriptors are closed. False: another took it for a leftover
 * and removed it. */
bool leftover_lock(int fd);
/* It has its final name from now on. */
void leftover_unlock(int fd);
/* Removes those of the user for whom this process works from @folder. What it may not remove
 * stays. */
void leftover_remove(const char *folder);

#endif
