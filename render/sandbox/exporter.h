/*
 * exporter: runs Tracy's tracy-csvexport on a trace, if it is on the PATH. It is the one program
 * that eprof-render runs, for import and generate alone, and a stranger's trace may take it over:
 * so it is confined as whatever else reads strangers' bytes (core/confine, a tool): it opens
 * libraries and the trace, and writes to its pipe.
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
