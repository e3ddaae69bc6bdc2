/*
 * target_cpu: the CPU time that the target of a capture has used, of which a slowdown is a share.
 */
#ifndef LOAD_TARGET_CPU_H
#define LOAD_TARGET_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "load/target.h"

/*
 * In ns, so far: of the machine (ALL), of the cgroup, of the thread (TID); else of the @n processes
 * @pids, which belong to the target and run, and of those children of theirs that were waited for.
 * Of the machine it has the grain of the kernel's tick. It falls when a process ends that no other
 * one of @pids waits for. 0 where the kernel does not tell.
 */
uint64_t target_cpu_ns(const struct target *, const uint32_t *pids, size_t n);

#endif
