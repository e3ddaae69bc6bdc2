/*
 * needed: the shared objects that a binary asks the dynamic linker for, and the search paths that
 * it gives. Bounded reads of an untrusted file.
 */
#ifndef ELF_NEEDED_H
#define ELF_NEEDED_H

#include "base/vec.h"
#include "elf/elffile.h"

/* A zeroed one is empty and valid. Texts are owned. */
struct needed {
	VEC(char *) names; /* as in DT_NEEDED, in that order */
	char *rpath;	   /* DT_RPATH, only where there is no DT_RUNPATH; or NULL */
	char *runpath;	   /* DT_RUNPATH, or NULL */
	char *interpreter; /* the dynamic linker; NULL: none */
};

/* Finds nothing in a malformed file. */
void needed_read(const struct elffile *, struct needed *out);
void needed_release(struct needed *);

#endif
