/*
 * request: the packets (base/packet.h) between a broker and the process that it works for, one a
 * request and one an answer. Used by broker and agent only.
 */
#ifndef BROKER_REQUEST_H
#define BROKER_REQUEST_H

#include <limits.h>
#include <stdint.h>

enum request_kind {
	REQUEST_OPEN,	/* path, flags → a descriptor */
	REQUEST_DONE,	/* the file that was opened last has been read; has no answer */
	REQUEST_BEGIN,	/* path, flags as below → number, a descriptor */
	REQUEST_COMMIT, /* number */
	REQUEST_DROP,	/* number */
	REQUEST_RUN,	/* flags: which program; path, descriptors → perhaps a descriptor */
	REQUEST_END,	/* flags as below → number: how the program ended, as of waitpid(2) */
	REQUEST_LANE,	/* a descriptor: another socket to ask at */
	REQUEST_KILL,	/* number: a child of the process that asks */
	REQUEST_KINDS,
};

/* Flags of REQUEST_BEGIN. */
#define REQUEST_FORCE 1
#define REQUEST_AGAIN 2
/* Flag of REQUEST_END: kill the program first. */
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
