/*
 * task_walk: runs an iterator program (iter/task) over all threads of our PID namespace. For load/.
 */
#ifndef LOAD_TASK_WALK_H
#define LOAD_TASK_WALK_H

#include <stdbool.h>

struct bpf_link;

/* False: the kernel did not run it to the end. */
bool task_walk(const struct bpf_link *);

#endif
