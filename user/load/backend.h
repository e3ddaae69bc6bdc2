/*
 * backend: one way to take samples, behind a session. For load/session*.c only; a new backend is
 * one file and one row in session.c. Operations that only BPF programs have are in session_bpf.c.
 */
#ifndef LOAD_BACKEND_H
#define LOAD_BACKEND_H

#include "load/counters.h"
#include "load/ring.h"
#include "load/session_options.h"
#include "perf/sideband.h"

/* The operations of session.h, on the state that open() made. The comments say what NULL means. */
struct backend {
	/* Errors with a text; releases everything on error. */
	int (*open)(const struct session_options *, void **state);
	void (*close)(void *);
	struct sideband *(*sideband)(void *);
	int (*attach)(void *);
	int (*add)(void *, uint32_t pid);
	/* NULL: from attach() on, children of the target are included automatically. */
	void (*adopt)(void *, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid, uint32_t tid,
		      uint64_t born_ns);
	bool (*settle)(void *);

	int (*drain)(void *, uint64_t most_bytes, ring_record_fn, void *context);
	void (*drained)(void *);
	int (*watch)(void *, int epoll_fd);
	int (*start)(void *);
	void (*stop)(void *);
	void (*tick)(void *);	     /* NULL: nothing is due */
	void (*await_exits)(void *); /* NULL: nothing to wait for */

	int (*counters)(void *, size_t event, uint64_t out[WIRE_COUNTERS]);
	bool (*ran)(void *, uint64_t *ns);
	void (*cost)(void *, struct session_cost *out);
	uint64_t (*throttled)(const void *); /* NULL: unknown */
};

struct session {
	const struct backend *backend;
	void *state; /* of the backend */
};

extern const struct backend bpf_backend;   /* everything eprof can do; needs privileges */
extern const struct backend plain_backend; /* the user's own processes in user mode; needs none */

#endif
