/*
 * broker: opens and makes files, and starts programs, for a process that may not do so itself,
 * because it reads strangers' bytes: as that asks for it (request.h). It trusts no request: a path
 * must be one of the list, for its use, and a program one of those that it was told to start. It
 * reads no byte of any file.
 *
 * Two programs have one: eprof-render's is the parent of the confined child (render/sandbox),
 * eprof's a child that was forked before anything of a target is read (cmd/record_broker). Beside
 * that stands a spare (spare.h).
 */
#ifndef BROKER_BROKER_H
#define BROKER_BROKER_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/file.h"
#include "base/vec.h"
#include "broker/allowed.h"
#include "broker/request.h"
#include "broker/spare.h"

#define BROKER_LANES 4 /* sockets besides the first */

struct broker {
	const struct allowed *allowed;
	int socket;	  /* the first, which ends it */
	VEC(int) lanes;	  /* others */
	pid_t owner;	  /* who asks, where that is our parent, and may have its children ended */
	int owner_fd;	  /* becomes readable when it ends; 0: nobody looks */
	sigset_t mask;	  /* of programs */
	const void *plan; /* of start() */
	struct file_new files[BROKER_FILES];
	struct spare spare;
	pid_t child;		/* the program that runs; 0: none */
	pid_t stuck;		/* the last that was killed and did not end; 0: none */
	char reading[PATH_MAX]; /* what is read; "": nothing */
	/* Starts program number r->flags with @fds, REQUEST_FDS of them or -1: *@child, and what it
	 * prints in *@out where that is not among these. NULL: there are none. 0, or -errno with a
	 * text. */
	int (*start)(struct broker *, const struct request *r, const int *fds, int *out,
		     pid_t *child);
};

/* Answers one request that came by @socket; false when the other end is closed. */
bool broker_serve(struct broker *, int socket);
/* Until the first socket's other end, or its owner, is gone. */
void broker_serve_all(struct broker *);
/* Removes what was begun and not committed, and waits for the program, which ends where nobody
 * reads what it prints. */
void broker_end(struct broker *);

#endif
