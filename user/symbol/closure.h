/*
 * closure: the files that the dynamic linker will load with a program, foretold from the program
 * and the shared objects it needs: what is to be known of its code before it runs. What the program
 * loads by itself later is not among them. Our own root is where they are looked for.
 */
#ifndef SYMBOL_CLOSURE_H
#define SYMBOL_CLOSURE_H

#include "base/vec.h"

/* Paths, each once, the program's own first. Owned. A zeroed one is empty and valid. */
typedef VEC(char *) closure;

/* Of the program that execvp(3) would find as @command with this process's environment. Empty: it
 * is not found. Of a script it is its interpreter's, the shell's where it names none. */
void closure_of_command(const char *command, closure *out);
/* Of the program in the file @path. */
void closure_of_program(const char *path, closure *out);
void closure_release(closure *);

/* The file that execvp(3) would run; owned by the caller; NULL: there is none. */
char *closure_program(const char *command);

#endif
