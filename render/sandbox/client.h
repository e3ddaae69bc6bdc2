/*
 * client: has the exporter run for import and generate: by the broker where this process is
 * confined. Before it is, or where it never is, as in tests, it does so itself.
 */
#ifndef SANDBOX_CLIENT_H
#define SANDBOX_CLIENT_H

/* *@out: what tracy-csvexport prints of the trace at @path. 0, or a negative errno with a text. */
int client_run(const char *path, int *out);
/* How it ended, as of waitpid(2), when *@out is closed. */
int client_run_end(int *status);

#endif
