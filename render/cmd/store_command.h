/*
 * store_command: what the command line of `eprof-render store` says, and the actions that change a
 * store.
 */
#ifndef CMD_STORE_COMMAND_H
#define CMD_STORE_COMMAND_H

#include <stddef.h>

#include "store/store.h"

/* All borrowed. */
struct store_command {
	const char *store;
	const char *const *files; /* what follows it */
	size_t n_files;
	struct store_key key; /* the options */
};

/* 0, a negative errno with a text, or an exit status after what was wrong was said. What was done
 * is said on stderr. */
int store_command_add(const struct store_command *);
int store_command_remove(const struct store_command *);
int store_command_compact(const struct store_command *);

/* -ENOENT: the store has no such version. */
int store_command_none(const struct store_command *, const char *version);

#endif
