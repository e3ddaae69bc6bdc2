/*
 * broker: the parent of a confined child: opens and makes the files that the command line named,
 * and runs the exporter, as the child asks for it (request.h). It trusts no request: a path must be
 * one of the list, for its use. It reads no byte of any file.
 */
#ifndef SANDBOX_BROKER_H
#define SANDBOX_BROKER_H

#include <limits.h>
#include <signal.h>

#include "base/file.h"
#include "sandbox/allowed.h"

#define BROKER_FILES 4 /* begun at a time: a command makes one after the other */

struct broker {
	const struct allowed *allowed;
	int socket;
	sigset_t mask; /* of the exporter */
	struct file_new files[BROKER_FILES];
	pid_t exporter;		/* 0: none runs */
	char reading[PATH_MAX]; /* what the child reads; "": nothing */
};

/* Of root's capabilities keeps those for opening and making files, for the exporter to become
 * nobody, and for ending what runs. */
void broker_keep_rights(void);

/* Answers one request; false when the child has closed its end. */
bool broker_serve(struct broker *);
/* Removes what was begun and not committed, and waits for the exporter. */
void broker_end(struct broker *);

#endif
