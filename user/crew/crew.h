/*
 * crew: runs tasks in worker processes that are confined before they read untrusted files, since
 * eprof runs as root. Workers are forked by a server (crew_server.h), which was itself forked
 * before any target's data was read: a worker's memory holds nothing but its own tasks. What it
 * reads comes as descriptors; it opens no path.
 *
 * There are as many workers as CPUs. One serves tasks of one owner, one after the other. Time is
 * shared fairly by users: whoever's files took least comes next, and a task that takes long while
 * others wait is stopped, and tried once more when all others are done. When a worker dies, its
 * task is lost, and no other.
 */
#ifndef CREW_CREW_H
#define CREW_CREW_H

#include "crew/crew_work.h"

struct image;

/* How many workers run at once. */
unsigned int crew_width(void);

/* Runs all tasks. One that is neither done nor failed was given up. */
void crew_run(struct crew *);

/* Whose file it is: sets user, owner and late. Files of one user share a process, but what is in no
 * folder, or in another root than ours, shares none with what is in ours. */
void crew_owned_by(struct crew_task *, const struct image *);

/* What the file has of bytes that are not holes, at most its length. */
uint64_t crew_file_bytes(int fd);

#endif
