/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_here: reads the memory of the current thread for the walks of script frames, as their
 * read_user(); those of another thread read otherwise (script_asleep.h).
 */
#ifndef SAMPLE_SCRIPT_HERE_H
#define SAMPLE_SCRIPT_HERE_H

#include "kernel.h"

struct script_memory; /* none is needed */

static __always_inline bool here_read(const struct script_memory *m, void *to, __u32 bytes,
				      __u64 from)
{
	return !bpf_probe_read_user(to, bytes, (void *)from);
}

#endif
