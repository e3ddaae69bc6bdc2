/*
 * crew_server: the process that forks workers, and ends them. It is confined and runs as nobody; it
 * reads no untrusted data, and reports to the loader how each worker ended. It ends with the
 * process that started it, and when no process holds its socket any more.
 */
#ifndef CREW_CREW_SERVER_H
#define CREW_CREW_SERVER_H

#include <stdint.h>

/* Starts the server, unless it runs. Call it before any target's data is read, since workers
 * inherit the server's memory. Otherwise the first task starts it. 0, or -errno with a text. */
int crew_server_start(void);

/* Has the server fork a worker with these ends of its sockets, which this closes. 0 or -errno, no
 * text. */
int crew_server_fork(int worker, int leash);

/* The server does not answer: kills it with all workers, and starts no other. */
void crew_server_give_up(void);

#endif
