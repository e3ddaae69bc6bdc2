/*
 * for_eprof: the words of a command line of `eprof-render for-eprof ACTION`, and the larger
 * actions.
 */
#ifndef CMD_FOR_EPROF_H
#define CMD_FOR_EPROF_H

#include <stddef.h>

#include "base/str.h"

struct for_eprof {
	const char *const *words; /* behind the action; borrowed */
	size_t n;
};

/* Each goes into the sandbox first. 0, or a negative errno with a text. */
int for_eprof_compare(struct for_eprof *);
int for_eprof_unnamed(struct for_eprof *);
int for_eprof_rename(struct for_eprof *);

/* Prints it, bytes of any kind. */
int for_eprof_answer(const struct str *);

#endif
