/*
 * closure_search: finds the files of a closure (closure.h), in this process: it opens paths, so it
 * may wait for ever. For the opener's helpers, and tests.
 */
#ifndef PROCESS_CLOSURE_SEARCH_H
#define PROCESS_CLOSURE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct closure_file {
	char *path; /* below the root, without symbolic links; owned */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

/* Each file once, the program's own first. A zeroed one is empty and valid. */
typedef VEC(struct closure_file) closure;
void closure_release(closure *);

/* Asked before each file is opened; false: no more. */
struct closure_effort {
	bool (*goes_on)(void *context);
	void *context;
};

/* Of the program in the file @path below @root_fd; -1: our own root, and our environment. @effort
 * may be NULL. */
void closure_search_program(int root_fd, const char *path, const struct closure_effort *,
			    closure *out);
/* The same below our own root, as execvp(3) would run it: of a script that names no interpreter it
 * is the shell's. */
void closure_search_command(const char *path, const struct closure_effort *, closure *out);
/* Of what @pid runs, whose root is @root_fd, -1 our own. Empty: it cannot be told. */
void closure_search_process(int root_fd, uint32_t pid, const struct closure_effort *, closure *out);

#endif
