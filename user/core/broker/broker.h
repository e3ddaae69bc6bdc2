/*
 * broker: opens and makes files, and starts programs, for a process that may not do so itself
 * because it reads strangers' bytes, and that sends requests (request.h). The broker trusts no
 * request: a path must be allowed for its use, and a program one of those that it was told to
 * start. It reads no byte of any file.
 *
 * Both programs have one: eprof-render's is the parent of the confined child (render/sandbox);
 * eprof's is a child forked before anything of a target is read (cmd/record_broker), and has a
 * spare (spare.h).
 */
#ifndef BROKER_BROKER_H
#define BROKER_BROKER_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/file_new.h"
#include "base/vec.h"
#include "broker/allowed.h"
#include "broker/request.h"
#include "broker/spare.h"

#define BROKER_LANES 4 /* sockets besides the first */

struct broker {
	const struct allowed *allowed;
	int socket;	  /* the first; when it is closed, the broker ends */
	VEC(int) lanes;	  /* others */
	pid_t owner;	  /* our parent, if it sends requests and may have its children killed */
	int owner_fd;	  /* becomes readable when the owner ends; 0: not used */
	sigset_t mask;	  /* of programs */
	const void *plan; /* of start() */
	struct file_new files[BROKER_FILES];
	struct spare spare;
	pid_t child;		/* the program that runs; 0: none */
	pid_t stuck;		/* the last one that was killed and did not end; 0: none */
	char reading[PATH_MAX]; /* the file that the other process reads now; "": none */
	/* Starts program number r->flags as *@child, with REQUEST_FDS descriptors, each may be -1;
	 * its output in *@out, unless it is one of these. NULL: there are no programs. 0, or -errno
	 * with a text. */
	int (*start)(struct broker *, const struct request *r, const int *fds, int *out,
		     pid_t *child);
};

/* Answers one request from @socket; false when the other end is closed. */
bool broker_serve(struct broker *, int socket);
/* Answers requests until the first socket's other end is closed, or the owner is gone. */
void broker_serve_all(struct broker *);
/* Drops files that were not committed, and waits for the program, which ends when nobody reads its
 * output. */
void broker_end(struct broker *);

#endif
