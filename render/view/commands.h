/*
 * commands: the column of command lines that several tables have.
 */
#ifndef VIEW_COMMANDS_H
#define VIEW_COMMANDS_H

#include "model/process.h"
#include "view/base.h"

extern const struct doc_column commands_column;
/* @process may be NULL: it is unknown. */
void commands_cell(const struct view_input *, struct doc_table *, const struct process *);

/* The first word of a thread's command line in which it differs from all others of that program:
 * which file a compiler compiles. Freed by the caller; NULL: there is none, or no other. */
char *command_distinct(const struct profile *, uint32_t thread);

#endif
