/*
 * owner: the user of a process: ids and groups, as they decide what that process may open.
 */
#ifndef PROCESS_OWNER_H
#define PROCESS_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* As many as are looked at: who is in more may open less. */
#define OWNER_GROUPS 64

#define OWNER_NOBODY 65534

struct owner {
	uid_t uid; /* effective ids, of which files are opened with */
	gid_t gid;
	uint32_t n_groups;
	gid_t groups[OWNER_GROUPS];
};

/* Of @pid, from /proc/PID/status; false: it is gone. */
bool owner_of(uint32_t pid, struct owner *out);
/* The user alone; 65534 (nobody) where it is gone. */
uid_t owner_uid(uint32_t pid);

/* From now on this thread opens files with these ids and groups, and without the capabilities that
 * override permissions; owner_return() ends that. A negative errno without a text, and nothing has
 * changed: not permitted. For a process with one thread. */
int owner_become(const struct owner *);
int owner_return(void);

/* The same for all ids, for good: some file systems (FUSE) admit nobody who could go back. */
int owner_become_for_good(const struct owner *);

#endif
