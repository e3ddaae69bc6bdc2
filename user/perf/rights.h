/*
 * rights: whether this process may load BPF programs, and messages for users who may not: the
 * kernel lets them sample their own processes by perf events, and nothing else.
 */
#ifndef PERF_RIGHTS_H
#define PERF_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* For setcap(8). */
#define RIGHTS_CAPS "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore+ep"

#define RIGHTS_HOW                                                                    \
	"run eprof under sudo, or let everyone who may execute it capture all: sudo " \
	"setcap " RIGHTS_CAPS " $(command -v eprof) ('eprof doctor' shows details)"

/* Whether a capability (CAP_… of linux/capability.h) is effective. */
bool rights_have(int cap);
/* Whether BPF programs may be loaded and attached to perf events. */
bool rights_to_bpf(void);

/* The highest kernel.perf_event_paranoid that lets users sample their own processes in user
 * mode. */
#define RIGHTS_PARANOID_OWN 2
/* Returns -EACCES with a text: at kernel.perf_event_paranoid @level the kernel refuses this process
 * its own perf events. */
int rights_no_events(long level);
/* Returns -EACCES with a text: the kernel refuses perf events of thread @tid of process @pid. */
int rights_no_thread(uint32_t pid, uint32_t tid);

#endif
