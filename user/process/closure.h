/*
 * closure: predicts the files that the dynamic linker will load with a program, from the program
 * and the shared objects it needs, so that its code is known before it runs. Files that the program
 * loads later by dlopen are not included.
 */
#ifndef SYMBOL_CLOSURE_H
#define SYMBOL_CLOSURE_H

#include <stdint.h>

#include "base/vec.h"

struct closure_file {
	char *path; /* below the root, without symbolic links; owned */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

/* Each file once, the program's own first. A zeroed one is empty and valid. */
typedef VEC(struct closure_file) closure;

/* Of the program that execvp(3) would find as @command with this process's environment. Empty: it
 * is not found. Of a script it is its interpreter's, the shell's where it names none. */
void closure_of_command(const char *command, closure *out);
/* Of the program in the file @path below @root_fd; -1: our own root, and our environment. */
void closure_of_program(int root_fd, const char *path, closure *out);
/* Of what @pid runs, whose root is @root_fd, -1 our own. Empty: it cannot be told. */
void closure_of_process(int root_fd, uint32_t pid, closure *out);
void closure_release(closure *);

/* The file that the dynamic linker finds for the name of a library, without links; owned by the
 * caller; NULL: there is none. */
char *closure_library(const char *name);
/* Calls @each with the path of every library that the dynamic linker finds by its name alone, in
 * our own root. */
void closure_each_library(void (*each)(void *context, const char *path), void *context);

/* The file that execvp(3) would run; owned by the caller; NULL: there is none. */
char *closure_program(const char *command);

#endif
