/*
 * needed: which shared objects a binary asks the dynamic linker for, and where it is to look for
 * them. Bounded reads of an untrusted file.
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

/* Nothing is found in a file that makes no sense. */
void needed_read(const struct elffile *, struct needed *out);
void needed_release(struct needed *);

#endif
