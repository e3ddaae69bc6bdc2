/*
 * runtime: the language runtimes whose code or functions have names for profilers only if they are
 * told to write them, and what to tell them.
 */
#ifndef SELECT_RUNTIME_H
#define SELECT_RUNTIME_H

#include <stdbool.h>

struct runtime {
	const char *module; /* how the file name of its program or library begins */
	const char *name;
	const char *map;    /* how to get names of its generated code */
	const char *frames; /* how to get whole stacks through it; NULL: they are */
	const char *script; /* the function that interprets, with which the script's functions have
			       no frames unless told to; NULL: none */
	bool framed;	    /* all its code without unwind rules keeps frame pointers */
	bool shown;	    /* eprof shows functions of its scripts, of versions that it knows */
};

/* The runtime whose program or library @path is; NULL: none. */
const struct runtime *runtime_of(const char *path);

#endif
