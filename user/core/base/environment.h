/*
 * environment: variables that a user without privileges may have chosen for a process that has some
 * (sudo -E). Libraries would take paths of plug-ins, drivers and locales from there. The process
 * itself keeps few of them; a command that it starts gets all, as its user wants.
 */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H

/* Once, at the start, while there is one thread: where this process has more rights than its
 * caller, only harmless variables remain in it, and PATH is the system's. */
void environment_settle(void);

/* The variable as it was given at the start, for what a command will do with it. NULL: not set. */
const char *environment_given(const char *name);
/* All of it again: in a child, before it runs the user's command. */
void environment_restore(void);

#endif
