/*
 * closure: predicts the files that the dynamic linker will load with a program, from the program
 * and the shared objects it needs, so that their code is known before it runs. Files that the
 * program loads later by dlopen are not included. The opener does the search (NULL: this process
 * does), as any folder on the way may be on a mount that does not answer.
 */
#ifndef PROCESS_CLOSURE_H
#define PROCESS_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct closure_file {
	char *path; /* below the root, with symbolic links resolved; owned */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

/* Each file once, the program's own first. A zeroed one is empty and valid. */
typedef VEC(struct closure_file) closure;
void closure_release(closure *);

struct opener;

/* The closure of the program that execvp(3) would run for @command in this process's environment.
 * For a script: that of its interpreter, or of the shell if it names none. 0: *out is filled, or
 * empty if there is no such program. Else a negative errno without a text: see opener.h. */
int closure_of_command(struct opener *, const char *command, closure *out);
/* The closure of the program that @pid runs, in its environment; its root is @root_fd (-1: ours).
 * Returns the same; *out is empty if the program is not known. */
int closure_of_process(struct opener *, int root_fd, uint32_t pid, closure *out);

/* The file that the dynamic linker finds for the library @name, links resolved; owned by the
 * caller; NULL: there is none, or the opener failed. */
char *closure_library(struct opener *, const char *name);
/* Calls @each with the path of every library that the dynamic linker finds by its name alone, in
 * our own root. */
void closure_each_library(struct opener *, void (*each)(void *context, const char *path),
			  void *context);

/* The absolute path of the file that execvp(3) would run; owned by the caller; NULL: there is none,
 * or the opener failed. */
char *closure_program(struct opener *, const char *command);
/* @path made absolute, since the opener has another working directory. Owned by the caller. */
char *closure_absolute(const char *path);
/* @path, absolute and with links resolved; owned by the caller; NULL: there is no such file, or the
 * opener failed; *rc (may be NULL) is then a negative errno as in opener.h. */
char *closure_path(struct opener *, const char *path, int *rc);

/* --- the search itself -----------------------------------------------------------------
 *
 * Runs in this process and opens paths, so it may block for ever: for the opener's helpers, and
 * tests. */

/* Called before each file is opened; false ends the search. */
struct closure_effort {
	bool (*goes_on)(void *context);
	void *context;
};

/* The closure of the program in the file @path below @root_fd; -1: our own root, and our
 * environment. @effort may be NULL. */
void closure_search_program(int root_fd, const char *path, const struct closure_effort *,
			    closure *out);
/* The same below our own root, and as execvp(3) runs it: a script that names no interpreter counts
 * as the shell. */
void closure_search_command(const char *path, const struct closure_effort *, closure *out);
/* The closure of what @pid runs, in its environment; its root is @root_fd (-1: ours). Empty: the
 * program is not known. */
void closure_search_process(int root_fd, uint32_t pid, const struct closure_effort *, closure *out);

#endif
