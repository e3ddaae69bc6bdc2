/*
 * rules: what landlock(7) leaves a confined process of the file system. Used by sandbox alone.
 */
#ifndef SANDBOX_RULES_H
#define SANDBOX_RULES_H

/* The version of landlock that this kernel has; 0: none, or it is switched off. */
int rules_version(void);

/* From now on the process may open, for reading, fonts, libraries and what tells of the machine; it
 * makes, changes and runs no file, and from version 4 on uses no TCP, from 6 on no abstract socket
 * and no signal beyond itself. 0, also where there is no landlock, or -errno with a text. Needs
 * PR_SET_NO_NEW_PRIVS. */
int rules_set(void);

#endif
