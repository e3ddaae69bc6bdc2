/*
 * in_child: runs what reads a file that others may have written in a child: a crash of it is an
 * error like any other. For commands that have given up their privileges; see as_owner.h for
 * others.
 */
#ifndef CMD_IN_CHILD_H
#define CMD_IN_CHILD_H

/*
 * Calls @fn with @arg in a child with the same streams, and returns the exit status that @fn
 * returns; -EIO with a text where reading @path makes it crash. A signal from outside that ends the
 * child ends this process, too; the child does not outlive it.
 */
int cmd_in_child(const char *path, int (*fn)(const void *arg), const void *arg);

#endif
