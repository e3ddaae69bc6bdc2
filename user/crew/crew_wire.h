/*
 * crew_wire: what a worker process, the server that forks it and the loader tell each other. Each
 * worker has two sockets: one to the loader, by which it gets its orders, and a leash from the
 * loader to the server, which ends the worker. Used by crew's files alone.
 */
#ifndef CREW_CREW_WIRE_H
#define CREW_CREW_WIRE_H

#include <stdint.h>

#include "crew/crew_work.h"

/* To the server, with the worker's end of its socket, and the server's of the leash. */
struct crew_birth {
	uint32_t workers; /* 1 */
};

/* To the worker, first: with a memory file of the bytes that are common to all orders. The server
 * is a fork of the program, in which constants are where they are here. */
struct crew_hello {
	const struct crew_service *service;
	uint64_t common_bytes;
	int32_t nice;
};

/* To the worker: with a memory file of the task's bytes, one for its answer, and the files. */
struct crew_order {
	uint64_t bytes;
	uint32_t task;
	uint32_t cpu_s, cpu_most_s;
	uint64_t bytes_per_s; /* read, for which there is one more second */
	uint32_t n_files;
	uint32_t present; /* bit i: file i was sent; else it has none */
};

/* From the worker: it is done with the task of that number. */
struct crew_done {
	uint32_t task;
};

/* From the server, on the leash: the worker has ended. */
struct crew_end {
	int32_t status; /* of waitpid(2) */
};

#endif
