/*
 * sandbox: the process in which a command reads its files: a child that can do nothing but compute,
 * read fonts, and write to what it was given.
 *
 * HDF5, and the libraries that draw, are not safe against files made to break them. So the command
 * goes on in a child, and the parent, which reads no byte of any file, becomes its broker: it opens
 * and makes the files that the command line named, and no others (broker.h). A crash of the child
 * is an error of the file that it read, in one line, and what it had begun to write is removed.
 *
 * The child has
 * - no new privileges, and where root runs it those of a user who owns nothing;
 * - a list of the system calls that it may make (confine/callfilter.h): none that opens a file for
 * writing, makes, renames or removes one, none of the network, of programs, of other processes;
 * - where the kernel has landlock, no file to open but fonts and libraries, no TCP, no signals and
 * no abstract sockets beyond itself (confine/rules.h);
 * - bounds on memory, CPU time and the length of files, and no core file; it dies with its parent.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include "broker/allowed.h"

/* Where sandbox_enter() returned, and what the caller does there. */
enum sandbox_side {
	SANDBOX_CHILD,	/* confined: go on */
	SANDBOX_ENDED,	/* the parent, the child has ended: exit with *@status */
	SANDBOX_FAILED, /* tell err_text(), exit with 1; in the parent or in the child */
};

/* To be called once, before the first foreign file is opened, by a process of one thread with
 * nothing in the buffers of its streams. In the parent it returns when the child has ended; a
 * signal that ended the child, or was sent to end the parent, ends it likewise. */
enum sandbox_side sandbox_enter(const struct allowed *, int *status);

/* What this kernel offers of it, as one line; freed by the caller. */
char *sandbox_text(void);

#endif
