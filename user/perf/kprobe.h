/*
 * kprobe: functions of the kernel that a probe can be placed on.
 */
#ifndef PERF_KPROBE_H
#define PERF_KPROBE_H

/* The name under which the kernel lets @function be probed: its own, or the one that the compiler
 * gave it when it changed its arguments ("f.isra.0"). Tries them: needs the right to perf events.
 * Owned by the caller; NULL: it cannot be probed. */
char *kprobe_name(const char *function);

#endif
