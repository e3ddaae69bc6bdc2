/*
 * agent: asks the broker (broker.h) for what this process may not do itself. From agent_begin() on
 * the functions of base/file.h that make files ask, too.
 */
#ifndef BROKER_AGENT_H
#define BROKER_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Asks by @socket from now on, for good; @opens: file_open() asks, too. */
void agent_begin(int socket, bool opens);
bool agent_is_there(void);
/* From now on, if broker @first is gone, or stopped for half a second (it may be busy for longer),
 * the spare @pid at @socket replaces it. */
void agent_use_spare(pid_t first, int socket, pid_t pid);
/* Ends the connection: a broker that serves nobody else ends. A second call ends the spare's. */
void agent_finish(void);

/* Has the broker start program number @which, with at most REQUEST_FDS descriptors; *@out is the
 * descriptor that comes back, -1: none. The program defines what @path and @at mean. 0, or a
 * negative errno with a text. */
int agent_run(uint32_t which, const char *path, uint64_t at, const int *fds, size_t n, int *out);
/* Waits for the program, or if @now kills it; *@status is as of waitpid(2). -ECHILD: the broker
 * that started it is gone, and the program, too. */
int agent_run_end(bool now, int *status);

/* Another socket to the broker, and to its spare, for a child that asks besides its parent. The
 * child takes it, the parent closes it; -1: there is none. */
struct agent_lane {
	int broker, spare;
};

/* 0, or -EMFILE without a text if there is none to the broker. To be closed. */
int agent_lane(struct agent_lane *);
void agent_take_lane(const struct agent_lane *);
void agent_close_lane(struct agent_lane *);

#endif
