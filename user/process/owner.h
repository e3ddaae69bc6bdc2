/*
 * owner: the user of a process: the ids and groups that decide which files it may open.
 */
#ifndef PROCESS_OWNER_H
#define PROCESS_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The most groups that are read: a user in more of them may open less. */
#define OWNER_GROUPS 64

#define OWNER_NOBODY 65534

struct owner {
	uid_t uid; /* effective ids, with which files are opened */
	gid_t gid;
	uint32_t n_groups;
	gid_t groups[OWNER_GROUPS];
};

/* Reads /proc/PID/status; false: the process is gone. */
bool owner_of(uint32_t pid, struct owner *out);
/* The user alone; OWNER_NOBODY if it is gone. */
uid_t owner_uid(uint32_t pid);

/* With whose rights files are read that a process of @user names: its own; of root's processes
 * those of the user behind sudo, or of nobody. Only where caller_had_rights(): else with ours. */
struct owner owner_reader(const struct owner *user);

/* From now on this thread opens files with these ids and groups, and without the capabilities that
 * override permissions; owner_return() ends that. A negative errno without a text: not permitted,
 * and nothing has changed. For a process with one thread. */
int owner_become(const struct owner *);
int owner_return(void);

/* Sets all ids for good: some file systems (FUSE) admit no process that could switch back. */
int owner_become_for_good(const struct owner *);

#endif
