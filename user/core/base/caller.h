/*
 * caller: the user who called this program through sudo, pkexec or doas. The files that root makes
 * belong to this user, and root reads what others may have chosen with this user's rights.
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
 * DOAS_USER; for others, and if none is set, it is the process's own user. If several are set, the
 * caller may have invented one (doas with keepenv): those that name root are ignored, and the
 * others must agree. -EINVAL with a text for what is no number, unknown or ambiguous: then go no
 * further, or root would act for nobody.
 */
int caller_find(uid_t euid, struct caller *);

/* Finds the caller of this process, once, at its start, for caller(), which keeps that answer when
 * it changes its user later. */
int caller_settle(void);
/* Before caller_settle(): the process's own user. */
struct caller caller(void);
/* Whether the process had privileges when it started, even if it gave them up since: what it knows
 * is not for everybody. */
bool caller_had_rights(void);

/*
 * The environment: variables that an unprivileged user may have chosen for a privileged process
 * (sudo -E). Libraries would take paths of plug-ins, drivers and locales from there. The process
 * keeps few of them; a command that it starts gets all, as its user wants.
 */

/* Once, at the start, while there is one thread: if this process has more rights than its caller,
 * removes all but harmless variables and sets PATH to the system's. */
void environment_settle(void);

/* The variable as it was at the start, for a command that will use it. NULL: not set. */
const char *environment_given(const char *name);
/* Restores all variables: in a child, before it runs the user's command. */
void environment_restore(void);

#endif
