/*
 * rights: what to tell those who lack the rights to capture; the kernel gives BPF programs to
 * nobody else, for one's own processes neither.
 */
#ifndef LOAD_RIGHTS_H
#define LOAD_RIGHTS_H

/* For setcap(8). */
#define RIGHTS_CAPS "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore+ep"

#define RIGHTS_HOW                                                                                \
	"run it under sudo, or let all who may run it capture anything: sudo setcap " RIGHTS_CAPS \
	" $(command -v eprof) ('eprof doctor' tells more)"

#endif
