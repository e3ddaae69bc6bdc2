/*
 * crew_server: the process that forks workers, and ends them. It is confined and nobody; it reads
 * no byte of a stranger's, and tells the loader how each of its workers ended. It ends with the
 * process that started it, and when no process holds its socket any more.
 */
#ifndef CREW_CREW_SERVER_H
#define CREW_CREW_SERVER_H

#include <stdint.h>

/* Starts it, unless it was. Before anything of a target's is read: what this process knows, workers
 * know. Without it, it is started with the first task. 0, or -errno with a text. */
int crew_server_start(void);

/* Has a worker forked, with the sockets' ends, which are closed here. 0 or -errno, no text. */
int crew_server_fork(int worker, int leash);

/* It does not answer: it is killed with all of its workers, and no other is started. */
void crew_server_give_up(void);

#endif
