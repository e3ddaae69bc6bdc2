/*
 * target_cpu: the CPU time that the target has used; slowdowns are given relative to it.
 */
#ifndef LOAD_TARGET_CPU_H
#define LOAD_TARGET_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "load/target.h"

/*
 * In ns so far: of the machine (ALL), of the cgroup, of the thread (TID); else of the @n processes
 * @pids, which belong to the target and run, and of the children that they reaped. The machine's
 * figure has the grain of the kernel's tick. The sum falls when a process ends that no other of
 * @pids reaps. 0 if unknown.
 */
uint64_t target_cpu_ns(const struct target *, const uint32_t *pids, size_t n);

#endif
