/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code: code that a process maps while its calls count. Code that nobody has looked at may unwind,
 * copy or walk stacks: from the moment it is mapped, before any of it runs, no return address is
 * hijacked, until the loader has looked.
 */
#ifndef PROBE_CODE_H
#define PROBE_CODE_H

#include "probe/calls.h"

/* Whether the loader has looked at all code of the current process. */
bool zone_code_is_seen(void) __hidden;
/* The current process is gone. */
void zone_code_forget(void) __hidden;
/* The current process runs another program: its wire_zone_proc.code_seen once that is looked at. */
__u32 zone_code_exec(void) __hidden;
/* The code of process @to is that of @from: its wire_zone_proc.code_seen once it is looked at. */
__u32 zone_code_fork(__u32 from, __u32 to) __hidden;

#endif
