/*
 * target: the processes, thread, cgroup or machine that a capture samples.
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
	VEC(uint32_t) pids; /* PIDS; TID: its process; COMMAND: the child, once created */
	size_t n_named; /* PIDS: number of processes named by the user, which come first; the others
			   descend from them */
	bool children;	/* PIDS: include processes that descend from them */
	uint32_t tid;	/* TID */
	const char *cgroup; /* CGROUP: path as given; borrowed */
	int cgroup_fd;	    /* CGROUP, after target_open() */
	char **argv;	    /* COMMAND; borrowed, NULL-terminated */
	bool inherit;	    /* include threads and children born later */

	/* COMMAND: the child waits for a byte before it execs. */
	int go_fd, status_fd;
	VEC(int) pidfds; /* PIDS, TID, COMMAND: one per process, readable once it has exited */
};

/* The process that executes the command, which until then does nothing of the target's; 0: there is
 * none. */
static inline uint32_t target_launcher(const struct target *t)
{
	return t->kind == TARGET_COMMAND && t->pids.n ? t->pids.at[0] : 0;
}

/* Parses "4711,4712"; -EINVAL with a text for anything but process numbers. */
int target_parse_pids(struct target *, const char *list);

/* -ENOTSUP with a text if /proc does not show the process numbers of our PID namespace. */
int target_check_proc(void);
/* Whether the process, thread or cgroup is there, before files are made for its capture: errors of
 * target_open(). Of a command nothing is known before it starts. */
int target_check(const struct target *);
/*
 * Checks that the processes or the v2 cgroup exist, or creates the command's process, which waits
 * and treats signals as the caller does. Errors with a text: -ESRCH, -ENOENT, -EACCES.
 */
int target_open(struct target *);
/* Lets the command exec. 1: it has not done so within seconds, and may later; -ENOENT or -EACCES
 * with a text if it cannot be run. */
int target_go(struct target *);
/* Appends the current threads of @pid; -ESRCH with a text if it has ended. */
typedef VEC(uint32_t) target_tids;
int target_threads(uint32_t pid, target_tids *out);
/* Finds the first process of pids, *@parent, with children outside pids; returns how many it
 * has. */
size_t target_children(const struct target *, uint32_t *parent);
/* Appends to pids the processes (some may have ended) that descend from them now and are not in it,
 * except the caller and its descendants. Returns how many, or a negative errno with a text. */
int target_add_children(struct target *);
/* Kills a command that was not let go; closes all descriptors. */
void target_release(struct target *);

/* The command line of a process for display, or its comm in brackets. Owned by the caller. @opener:
 * see process/opener.h. */
struct opener;
char *target_cmdline(struct opener *, uint32_t pid);

/* Whether the target is not a list of processes: any process, present or future, may belong to
 * it. */
static inline bool target_is_open(const struct target *t)
{
	return t->kind == TARGET_ALL || t->kind == TARGET_CGROUP;
}

#endif
