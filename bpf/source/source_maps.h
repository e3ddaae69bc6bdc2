/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source_maps: what a source's programs hear from the loader and count for it. SOURCE_MAPS(name, …)
 * defines the maps NAME_control and NAME_counters, and control(), add() and add_run() on them;
 * SOURCE_LAUNCHER(name, WHAT), where the value @WHAT of the first is a process that does not count
 * until it executes a program, is_launcher() and end_launcher().
 */
#ifndef SOURCE_MAPS_H
#define SOURCE_MAPS_H

#include "ids.h"
#include "kernel.h"

/* NAME_control: value by number, of which there are @CONTROLS. Written by the loader, read by the
 * programs.
 * NAME_counters: sum by number, of which there are @COUNTERS. Written by the programs, read by the
 * loader. Per CPU, so that no two CPUs write one cache line; atomic, since a program may be
 * preempted. */
#define SOURCE_MAPS(name, CONTROLS, COUNTERS)                                     \
	struct {                                                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                 \
		__uint(max_entries, CONTROLS);                                    \
		__type(key, __u32);                                               \
		__type(value, __u64);                                             \
	} name##_control SEC(".maps");                                            \
	struct {                                                                  \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                          \
		__uint(max_entries, COUNTERS);                                    \
		__type(key, __u32);                                               \
		__type(value, __u64);                                             \
	} name##_counters SEC(".maps");                                           \
	static __always_inline __u64 control(__u32 what)                          \
	{                                                                         \
		const __u64 *value = bpf_map_lookup_elem(&name##_control, &what); \
                                                                                  \
		return value ? *value : 0;                                        \
	}                                                                         \
	static __always_inline void add(__u32 what, __u64 n)                      \
	{                                                                         \
		__u64 *sum = bpf_map_lookup_elem(&name##_counters, &what);        \
                                                                                  \
		if (sum)                                                          \
			__sync_fetch_and_add(sum, n);                             \
	}                                                                         \
	/* A program's run from @start_ns to now. */                              \
	static inline __attribute__((always_inline, unused)) void add_run(        \
		__u32 runs, __u32 run_ns, __u64 start_ns)                         \
	{                                                                         \
		add(runs, 1);                                                     \
		add(run_ns, bpf_ktime_get_ns() - start_ns);                       \
	}

#define SOURCE_LAUNCHER(name, WHAT)                                                 \
	/* Of the current process. */                                               \
	static __always_inline bool is_launcher(void)                               \
	{                                                                           \
		const __u64 launcher = control(WHAT);                               \
                                                                                    \
		return launcher && launcher == ids_current_process();               \
	}                                                                           \
	/* When the current process executes a program: whether it was that one. */ \
	static __always_inline bool end_launcher(void)                              \
	{                                                                           \
		const __u32 what = WHAT;                                            \
		__u64 *launcher;                                                    \
                                                                                    \
		if (!is_launcher())                                                 \
			return false;                                               \
		launcher = bpf_map_lookup_elem(&name##_control, &what);             \
		if (launcher)                                                       \
			*launcher = 0;                                              \
		return true;                                                        \
	}

#endif
