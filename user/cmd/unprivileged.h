/*
 * unprivileged: gives up what a command does not need. For those that only read and write files of
 * the user: report, name.
 */
#ifndef CMD_UNPRIVILEGED_H
#define CMD_UNPRIVILEGED_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on the user behind sudo; root without capabilities, but those to become another user.
 * no_new_privs keeps exec from giving them back. -errno, no text: then go no further. */
int cmd_drop_privileges(void);

/* The same for reading what a target names: the user behind sudo; root becomes nobody. */
int cmd_become_reader(void);
/* Whether that, or something else, left this process to nobody. */
bool cmd_is_nobody(void);

#endif
