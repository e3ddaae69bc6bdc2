/*
 * client: what a confined process asks its broker for. Before it is confined, or where it never is,
 * as in tests, these do it themselves.
 */
#ifndef SANDBOX_CLIENT_H
#define SANDBOX_CLIENT_H

/* From now on files are opened and made by the broker at @socket; see base/file.h. */
void client_begin(int socket);

/* *@out: what tracy-csvexport prints of the trace at @path. 0, or a negative errno with a text. */
int client_run(const char *path, int *out);
/* How it ended, as of waitpid(2), when *@out is closed. */
int client_run_end(int *status);

#endif
