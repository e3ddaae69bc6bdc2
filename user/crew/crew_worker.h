/*
 * crew_worker: a worker process: confined, it takes orders by a socket until that is closed.
 */
#ifndef CREW_CREW_WORKER_H
#define CREW_CREW_WORKER_H

/* The server has forked it. */
_Noreturn void crew_worker_run(int socket);

#endif
