/*
 * agent: what a process asks its broker for (broker.h), once it may not do it itself. From
 * agent_begin() on those functions of base/file.h that make files ask, too.
 */
#ifndef BROKER_AGENT_H
#define BROKER_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on, for good, by @socket; @opens: also what file_open() opens. */
void agent_begin(int socket, bool opens);
bool agent_is_there(void);
/* From now on, too, broker @first is left for the spare @pid, at @socket, when it is gone, or
 * stopped for half a second: it may be busy for longer. */
void agent_use_spare(pid_t first, int socket, pid_t pid);
/* Nothing is asked any more: a broker that serves nobody else ends; with the second call its spare,
 * if it has one. */
void agent_finish(void);

/* Has program number @which started, with descriptors, REQUEST_FDS at most; *@out is what comes
 * back, -1: nothing. What @path and @at mean is the program's to say. 0, or a negative errno with a
 * text. */
int agent_run(uint32_t which, const char *path, uint64_t at, const int *fds, size_t n, int *out);
/* Waits for it, @now: kills it first; *@status as of waitpid(2). -ECHILD: the broker that had
 * started it is gone, and the program with it or before. */
int agent_run_end(bool now, int *status);

/* Another socket to the broker, and to its spare, for a child that asks beside its parent. The
 * child goes on at it, the parent closes it; -1: there is none. */
struct agent_lane {
	int broker, spare;
};

/* 0, or -EMFILE without a text: there is none to the broker. To be closed. */
int agent_lane(struct agent_lane *);
void agent_take_lane(const struct agent_lane *);
void agent_close_lane(struct agent_lane *);

#endif
