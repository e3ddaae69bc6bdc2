/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code: tracks the code that a process maps while its calls count. Code that the loader has not
 * looked at may unwind, copy or walk stacks: from before it is mapped until the loader has looked
 * at it, no return address is hijacked.
 */
#ifndef PROBE_CODE_H
#define PROBE_CODE_H

#include "probe/calls.h"

/* Whether the loader has looked at all code of the current process. */
bool probe_code_is_seen(void) __hidden;
/* The current process ends. */
void probe_code_forget(void) __hidden;
/* The current process execs. Returns the wire_probe_proc.code_seen to set once the loader has
 * looked. */
__u32 probe_code_exec(void) __hidden;
/* Process @to was forked from @from and has its code. Returns the wire_probe_proc.code_seen to set
 * once the loader has looked. */
__u32 probe_code_fork(__u32 from, __u32 to) __hidden;

#endif
