/*
 * git: starts `git describe` for a folder, as the user behind sudo, and by itself only in
 * repositories of that user; never as root.
 */
#ifndef CMD_GIT_H
#define CMD_GIT_H

#include <sys/types.h>

/* *@child, which leads a group of its own, prints to @out; it exits with 1 where there is no such
 * user. 0, or a negative errno with a text. */
int git_start(const char *folder, int out, pid_t *child);

#endif
