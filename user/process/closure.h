/*
 * closure: predicts the files that the dynamic linker will load with a program, from the program
 * and the shared objects it needs, so that its code is known before it runs. Files that the program
 * loads later by dlopen are not included. The opener looks for them (NULL: this process does), as
 * any folder on the way may be on a mount that does not answer.
 */
#ifndef PROCESS_CLOSURE_H
#define PROCESS_CLOSURE_H

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

struct opener;

/* Of the program that execvp(3) would find as @command with this process's environment. Of a script
 * it is its interpreter's, the shell's where it names none. 0: *out has it, or is empty where the
 * program is not found. Else a negative errno without a text: see opener.h. */
int closure_of_command(struct opener *, const char *command, closure *out);
/* Of what @pid runs, whose root is @root_fd, -1 our own. The same; empty: it cannot be told. */
int closure_of_process(struct opener *, int root_fd, uint32_t pid, closure *out);

/* The file that the dynamic linker finds for the name of a library, without links; owned by the
 * caller; NULL: there is none, or it cannot be told. */
char *closure_library(struct opener *, const char *name);
/* Calls @each with the path of every library that the dynamic linker finds by its name alone, in
 * our own root. */
void closure_each_library(struct opener *, void (*each)(void *context, const char *path),
			  void *context);

/* The file that execvp(3) would run, an absolute path; owned by the caller; NULL: there is none, or
 * it cannot be told. */
char *closure_program(struct opener *, const char *command);
/* @path, as seen from the root: the opener has another current folder. Owned by the caller. */
char *closure_absolute(const char *path);
/* @path, absolute and without links; owned by the caller; NULL: there is no such file, or it cannot
 * be told: *rc (may be NULL) says why, by an errno as of opener.h. */
char *closure_path(struct opener *, const char *path, int *rc);

/* --- the search itself -----------------------------------------------------------------
 *
 * In this process: it opens paths, so it may wait for ever. For the opener's helpers, and tests. */

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
