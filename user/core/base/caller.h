/*
 * caller: the user who called this program through sudo, pkexec or doas, to whom the files belong
 * that root makes for him, and with whose rights root reads what others may have chosen.
 */
#ifndef BASE_CALLER_H
#define BASE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

struct caller {
	uid_t uid;
	gid_t gid;
	bool is_other; /* this process is root's, and the caller is another user */
};

/*
 * Finds out who called a process that runs as @euid: for root by SUDO_UID and SUDO_GID, PKEXEC_UID,
 * DOAS_USER; for others, and where none is set, it is the process's own user. Where several are
 * set, one of them may be the caller's invention (doas with keepenv): those that name root are
 * passed over, and the others must agree. -EINVAL with a text for what is no number, unknown or
 * ambiguous: then go no further, for as root nobody's rights would be taken.
 */
int caller_find(uid_t euid, struct caller *);

/* The same for this process, once, at its start: caller() has it from then on, whoever it becomes.
 */
int caller_settle(void);
/* Before caller_settle(): the process's own user. */
struct caller caller(void);
/* Whether it had more rights than users have when it started, which it may have given up since:
 * what it knows is not for everybody. */
bool caller_had_rights(void);

/*
 * The environment: variables that a user without privileges may have chosen for a process that has
 * some (sudo -E). Libraries would take paths of plug-ins, drivers and locales from there. The
 * process itself keeps few of them; a command that it starts gets all, as its user wants.
 */

/* Once, at the start, while there is one thread: where this process has more rights than its
 * caller, only harmless variables remain in it, and PATH is the system's. */
void environment_settle(void);

/* The variable as it was given at the start, for what a command will do with it. NULL: not set. */
const char *environment_given(const char *name);
/* All of it again: in a child, before it runs the user's command. */
void environment_restore(void);

#endif
