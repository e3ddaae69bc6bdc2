/*
 * target: what a capture is of.
 */
#ifndef LOAD_TARGET_H
#define LOAD_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

enum target_kind {
	TARGET_NONE,
	TARGET_PIDS,	/* -p: processes */
	TARGET_TID,	/* -t: one thread */
	TARGET_ALL,	/* -a */
	TARGET_CGROUP,	/* -G */
	TARGET_COMMAND, /* -- */
};

struct target {
	enum target_kind kind;
	VEC(uint32_t) pids; /* PIDS; TID: its process; COMMAND: the child, once it is made */
	size_t n_named; /* PIDS: the first so many of pids were named, the rest descend from them */
	bool children;	/* PIDS: processes that descend from them belong to it, too */
	uint32_t tid;	/* TID */
	const char *cgroup; /* CGROUP: path as given; borrowed */
	int cgroup_fd;	    /* CGROUP, after target_open */
	char **argv;	    /* COMMAND; borrowed, NULL-terminated */
	bool inherit;	    /* threads and children born later belong to it */

	/* COMMAND: the child waits for a byte before it execs. */
	int go_fd, status_fd;
	VEC(int) pidfds; /* PIDS, TID, COMMAND: one a process, readable when it has exited */
};

/* "4711,4712": -EINVAL with a text for anything but process numbers. */
int target_parse_pids(struct target *, const char *list);

/*
 * Makes sure that it is there: processes exist, the cgroup is a v2 one, the command's process is
 * made (it waits; signals are for it what they are for the caller). Errors with a text: -ESRCH,
 * -ENOENT, -EACCES.
 */
int target_open(struct target *);
/* Lets the command exec. -ENOENT or -EACCES with a text when it cannot be run. */
int target_go(struct target *);
/* The threads of @pid at this moment, appended; -ESRCH with a text when it is gone. */
typedef VEC(uint32_t) target_tids;
int target_threads(uint32_t pid, target_tids *out);
/* How many children that are none of PIDS the first of them has that has any: *@parent. */
size_t target_children(const struct target *, uint32_t *parent);
/* Appends the processes (some may be gone by now) to pids that descend from them at this moment and
 * are not there yet, less the caller and what descends from it. Returns how many, or a negative
 * errno with a text. */
int target_add_children(struct target *);
/* Kills a command that was never let go; closes what is open. */
void target_release(struct target *);

/* The command line of a process for people, its comm in brackets where it has none. Owned by
 * the caller. */
char *target_cmdline(uint32_t pid);

/* It is not a list of processes: any there are may belong to it, and any that come. */
static inline bool target_is_open(const struct target *t)
{
	return t->kind == TARGET_ALL || t->kind == TARGET_CGROUP;
}

#endif
