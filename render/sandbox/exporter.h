/*
 * exporter: runs Tracy's tracy-csvexport on a trace, if it is on the PATH. It is the one program
 * that eprof-render runs, from the process that is not confined.
 */
#ifndef SANDBOX_EXPORTER_H
#define SANDBOX_EXPORTER_H

#include <signal.h>
#include <sys/types.h>

#define EXPORTER "tracy-csvexport"

/* Starts it on @path: *@out is what it prints of each call (-u), with the signals @mask blocked. 0,
 * or a negative errno with a text: -ENOENT where it is not there. */
int exporter_start(const char *path, const sigset_t *mask, int *out, pid_t *pid);
/* Waits for its end; *@status as of waitpid(2). */
int exporter_end(pid_t pid, int *status);

#endif
