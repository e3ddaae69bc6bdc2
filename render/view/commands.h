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

#endif
