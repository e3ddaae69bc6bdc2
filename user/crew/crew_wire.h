/*
 * crew_wire: the messages between a worker process, the server that forks it, and the loader. Each
 * worker has two sockets: one to the loader, for its orders, and a leash from the loader to the
 * server, which ends the worker. Used by crew*.c alone.
 */
#ifndef CREW_CREW_WIRE_H
#define CREW_CREW_WIRE_H

#include <stdint.h>

#include "crew/crew_work.h"

/* To the server, with the worker's end of its socket, and the server's end of the leash. */
struct crew_birth {
	uint32_t workers; /* always 1 */
};

/* To the worker, first; with a memory file of the bytes that all orders share. The server is a fork
 * of this program, so constants have the same addresses. */
struct crew_hello {
	const struct crew_service *service;
	uint64_t common_bytes;
	int32_t nice;
};

/* To the worker; with a memory file of the task's bytes, one for its answer, and the files. */
struct crew_order {
	uint64_t bytes;
	uint32_t task;
	uint32_t cpu_s, cpu_most_s;
	uint64_t bytes_per_s; /* bytes read for which one more second is allowed */
	uint32_t n_files;
	uint32_t present; /* bit i: file i was sent */
};

/* From the worker: the task of that number is done. */
struct crew_done {
	uint32_t task;
};

/* From the server, on the leash: the worker has ended. */
struct crew_end {
	int32_t status; /* from waitpid(2) */
};

#endif
