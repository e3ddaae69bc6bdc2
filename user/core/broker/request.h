/*
 * request: what a process that may not open, make or start things itself asks of its broker, a
 * packet (base/packet.h) each on a socket between the two. Used by broker and agent alone.
 */
#ifndef BROKER_REQUEST_H
#define BROKER_REQUEST_H

#include <limits.h>
#include <stdint.h>

enum request_kind {
	REQUEST_OPEN,	/* path, flags → a descriptor */
	REQUEST_DONE,	/* no more is read of what was opened last; has no answer */
	REQUEST_BEGIN,	/* path, flags as below → number, a descriptor */
	REQUEST_COMMIT, /* number */
	REQUEST_DROP,	/* number */
	REQUEST_REMOVE, /* path, which was committed */
	REQUEST_RUN,	/* flags: which program; path, descriptors → perhaps a descriptor */
	REQUEST_END,	/* flags as below → number: how the program ended, as of waitpid(2) */
	REQUEST_LANE,	/* a descriptor: another socket to ask at */
	REQUEST_KILL,	/* number: a process that who asks has started */
	REQUEST_KINDS,
};

/* Flags of REQUEST_BEGIN. */
#define REQUEST_FORCE 1
#define REQUEST_AGAIN 2
/* Flags of REQUEST_END: it is killed first. */
#define REQUEST_NOW 1

/* Descriptors with one request. */
#define REQUEST_FDS 3

struct request {
	uint32_t kind, flags;
	int32_t number;
	uint64_t at; /* of REQUEST_RUN: for the program, where in a file */
	char path[PATH_MAX];
};

struct request_answer {
	int32_t rc;	 /* 0 or a negative errno */
	int32_t number;	 /* of the request's kind */
	char text[1024]; /* of err_text(), where rc is negative and there is one */
};

#endif
