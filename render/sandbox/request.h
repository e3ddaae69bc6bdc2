/*
 * request: what the confined child asks its broker, a packet each on a socket between the two. Used
 * by broker and client alone.
 */
#ifndef SANDBOX_REQUEST_H
#define SANDBOX_REQUEST_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

enum request_kind {
	REQUEST_OPEN,	/* path, flags → a descriptor */
	REQUEST_DONE,	/* no more is read of what was opened last; has no answer */
	REQUEST_BEGIN,	/* path, flags as below → number, a descriptor */
	REQUEST_COMMIT, /* number */
	REQUEST_DROP,	/* number */
	REQUEST_RUN,	/* path → a descriptor: what the exporter prints of it */
	REQUEST_END,	/* → number: how the exporter ended, as of waitpid(2) */
	REQUEST_KINDS,
};

/* Flags of REQUEST_BEGIN. */
#define REQUEST_FORCE 1
#define REQUEST_AGAIN 2

struct request {
	uint32_t kind, flags;
	int32_t number;
	char path[PATH_MAX];
};

struct answer {
	int32_t rc;	 /* 0 or a negative errno */
	int32_t number;	 /* of the request's kind */
	char text[1024]; /* of err_text(), where rc is negative and there is one */
};

/* One packet; @fd -1: none with it. 0, or -errno (-EPIPE: the other end is closed). */
int request_send(int socket, const void *packet, size_t n, int fd);
/* One packet of @n bytes; *@fd -1: none came. 0, or -errno: -EPIPE, -EPROTO. */
int request_receive(int socket, void *packet, size_t n, int *fd);

#endif
