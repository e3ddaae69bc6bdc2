/*
 * debugserver: debug files by build-id from the servers of debuginfod, through elfutils' client
 * library. The library is loaded when it is needed: it takes curl and some thirty libraries with
 * it. Everything that meets the network happens in a child process, which can be ended.
 */
#ifndef SYMBOL_DEBUGSERVER_H
#define SYMBOL_DEBUGSERVER_H

#include <stdbool.h>
#include <stdint.h>

/* Called every so often while a download lasts: bytes so far, and of how many, 0 where that is not
 * known. */
struct debugserver_wait {
	void (*progress)(void *context, uint64_t got, uint64_t of);
	void *context;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
};

/* Whether the user asked for servers: DEBUGINFOD_URLS. */
bool debugserver_is_set(void);

/*
 * An open descriptor of the debug file in the client's cache, the caller's, and its path in *@path,
 * freed by the caller (NULL on failure). Not yet checked: whatever a server sent. With a text:
 * -ENOENT no server has it, -ETIMEDOUT the deadline passed, -ENOSYS the library is missing, -EIO
 * for all else.
 */
int debugserver_fetch(const uint8_t *id, uint8_t bytes, const struct debugserver_wait *,
		      char **path);

#endif
