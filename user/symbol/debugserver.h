/*
 * debugserver: fetches debug files by build-id from debuginfod servers, through elfutils' client
 * library. The library is loaded only when needed, since it brings curl and some thirty libraries.
 * A child process, which can be killed, does all networking.
 */
#ifndef SYMBOL_DEBUGSERVER_H
#define SYMBOL_DEBUGSERVER_H

#include <stdbool.h>
#include <stdint.h>

/* Called repeatedly during a download with the bytes so far and in total; 0: total unknown. */
struct debugserver_wait {
	void (*progress)(void *context, uint64_t got, uint64_t of);
	void *context;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
};

/* Whether the user has set servers, in DEBUGINFOD_URLS. */
bool debugserver_is_set(void);

/*
 * Returns an open descriptor of the debug file in the client's cache, for the caller to close, and
 * its path in *@path, for the caller to free (NULL on failure). The file is unchecked: the server
 * may send anything. Errors, with a text: -ENOENT no server has it, -ETIMEDOUT the deadline passed,
 * -ENOSYS the library is missing, -EIO anything else.
 */
int debugserver_fetch(const uint8_t *id, uint8_t bytes, const struct debugserver_wait *,
		      char **path);

#endif
