/*
 * unprivileged: gives up privileges that a command does not need: for report and name, which only
 * read and write the user's files.
 */
#ifndef CMD_UNPRIVILEGED_H
#define CMD_UNPRIVILEGED_H

#include <stdbool.h>
#include <sys/types.h>

/* Becomes the user behind sudo; root keeps only the capabilities to change users. no_new_privs
 * keeps exec from giving them back. -errno, no text: then do not go on. */
int cmd_drop_privileges(void);

/* The same for reading files that a target names: becomes the user behind sudo; root becomes
 * nobody. */
int cmd_become_reader(void);
/* Whether this process runs as nobody. */
bool cmd_is_nobody(void);

#endif
