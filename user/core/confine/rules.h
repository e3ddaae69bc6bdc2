/*
 * rules: what landlock(7) leaves a confined process of the file system. Used by confine and by
 * the calibrator of probes.
 */
#ifndef CONFINE_RULES_H
#define CONFINE_RULES_H

#include <stdbool.h>

/* The version of landlock that this kernel has; 0: none, or it is switched off. */
int rules_version(void);

/* From now on the process makes, changes and runs no file, opens none, or where @reads_fonts fonts,
 * libraries and what tells of the machine, for reading; and from version 4 on it uses no TCP, from
 * 6 on no abstract socket and no signal beyond itself. 0, also where there is no landlock, or
 * -errno with a text. Needs PR_SET_NO_NEW_PRIVS. */
int rules_set(bool reads_fonts);

/* The same for @program, which is yet to be run: it opens libraries, itself and the file @input.
 * What runs is for seccomp to say. */
int rules_set_tool(int program, int input);

/* The same for a process that cannot have a seccomp filter, where the kernel has no landlock. From
 * now on, for good once CAP_SYS_CHROOT is given up, which it takes: no path leads to a program or
 * to a file that others have. Without that capability nothing happens. */
void emptyroot_enter(void);

#endif
