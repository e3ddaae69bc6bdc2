/*
 * task_walk: runs an iterator program (iter/task) over all threads of our PID namespace. For load/.
 */
#ifndef LOAD_TASK_WALK_H
#define LOAD_TASK_WALK_H

#include <stdbool.h>

/* A walk stops whenever the program has written so much (bpf_seq_write), which is thrown away: a
 * program that sends records writes in proportion to them, so that they can be drained in
 * between. */
#define TASK_WALK_BYTES 512

struct bpf_link;
struct opener;

/* Opens a walk: a descriptor, to be closed by the caller, or -1. */
int task_walk_open(const struct bpf_link *);
/* Goes on with it: 1: there is more, 0: it is over, -1: the kernel did not run it to the end. */
int task_walk_on(int walk);
/* The same of a program that reads others' memory, which may take for ever. -ETIMEDOUT, -EBUSY: see
 * opener.h. */
int task_walk_by(struct opener *, int walk);
/* All that is left of it, and all of one; false: the kernel did not run it to the end. */
bool task_walk_rest(int walk);
bool task_walk(const struct bpf_link *);

#endif
