/*
 * confine: where a command goes into the sandbox: when it knows its files from the command line,
 * and before it opens one. Each command does so once; tests/cli/sandbox.test holds them to it.
 */
#ifndef CMD_ENTER_H
#define CMD_ENTER_H

#include "sandbox/sandbox.h"

/* Returns in the confined child alone, released; the parent exits from here as the child did. Usage
 * and outputs are checked before: what stdout or stderr hold is written. */
void render_enter(struct allowed *);
/* The same for a command that reads @n inputs and makes @output; NULL or "-": the standard output.
 */
void render_enter_to(const char *output, bool force, const char *const *inputs, size_t n);

#endif
