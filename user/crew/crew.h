/*
 * crew: runs tasks in worker processes that are confined before they read untrusted files, since
 * eprof runs as root. A server (crew_server.h), itself forked before any target's data was read,
 * forks the workers: so a worker's memory holds nothing but its own tasks. It gets its files as
 * descriptors, and opens no path.
 *
 * There are as many workers as CPUs. A worker serves tasks of one owner, one after the other. Users
 * share the time fairly: the next task is of the user who used least, and a task that takes long
 * while others wait is stopped, and tried once more when all others are done. When a worker dies,
 * only its task is lost.
 */
#ifndef CREW_CREW_H
#define CREW_CREW_H

#include "crew/crew_work.h"

struct image;

/* How many workers run at once. */
unsigned int crew_width(void);

/* Runs all tasks. A task that is neither done nor failed was given up. */
void crew_run(struct crew *);

/* Sets user, owner and late by the image's file. Files of one user share a worker, but deleted
 * files, and files in other roots than ours, have workers of their own. */
void crew_owned_by(struct crew_task *, const struct image *);

/* The bytes of the file that are not holes, at most its length. */
uint64_t crew_file_bytes(int fd);

#endif
