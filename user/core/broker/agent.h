/*
 * agent: what a process asks its broker for (broker.h), once it may not do it itself. From
 * agent_begin() on those functions of base/file.h that make files ask, too.
 */
#ifndef BROKER_AGENT_H
#define BROKER_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on, for good, by @socket; @opens: also what file_open() opens. */
void agent_begin(int socket, bool opens);
bool agent_is_there(void);
/* Nothing is asked any more: a broker that serves nobody else ends. */
void agent_finish(void);

/* Has program number @which started, with descriptors, REQUEST_FDS at most; *@out is what comes
 * back, -1: nothing. 0, or a negative errno with a text. */
int agent_run(uint32_t which, const char *path, const int *fds, size_t n, int *out);
/* Waits for it, @now: kills it first; *@status as of waitpid(2). */
int agent_run_end(bool now, int *status);

/* Another socket to the broker, for a child that asks beside its parent; -1: there is none. The
 * child goes on at it, the parent closes it. */
int agent_lane(void);
void agent_take_lane(int socket);

#endif
