/*
 * rules: limits a process's access to files by landlock(7). Used by confine and by the calibrator
 * of probes.
 */
#ifndef CONFINE_RULES_H
#define CONFINE_RULES_H

#include <stdbool.h>

/* The kernel's version of landlock; 0: none, or it is switched off. */
int rules_version(void);

/* Lets the process make, change, run and open no file, but if @reads_fonts read fonts, libraries
 * and facts about the machine; from version 4 on use no TCP, from 6 on no abstract socket and no
 * signal to others. 0, also without landlock, or -errno with a text. Needs PR_SET_NO_NEW_PRIVS. */
int rules_set(bool reads_fonts);

/* The same before @program is run: it may open libraries, itself and the file @input. seccomp
 * limits what it may run. */
int rules_set_tool(int program, int input);

/* For a process that cannot have a seccomp filter, in case the kernel has no landlock: enters a
 * root in which no path leads to a program or to a file of others, for good once CAP_SYS_CHROOT,
 * which it needs, is given up. Without that capability nothing happens. */
void emptyroot_enter(void);

#endif
