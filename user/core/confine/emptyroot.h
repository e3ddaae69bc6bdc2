/*
 * emptyroot: a process that finds no file any more. For one that cannot have a seccomp filter,
 * where the kernel has no landlock either.
 */
#ifndef CONFINE_EMPTYROOT_H
#define CONFINE_EMPTYROOT_H

/* From now on, for good once CAP_SYS_CHROOT is given up, which it takes: no path leads to a program
 * or to a file that others have. Without that capability nothing happens. */
void emptyroot_enter(void);

#endif
