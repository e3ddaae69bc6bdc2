/*
 * bpfcalls: what is left of bpf(2) to a process of a capture, by seccomp(2): its maps, and links of
 * the programs that it has. Used by denied alone.
 */
#ifndef CONFINE_BPFCALLS_H
#define CONFINE_BPFCALLS_H

/* From now on it loads no program and no types, opens nobody else's programs, maps and links, and
 * pins none; EPERM, for all threads. 0 or -errno, no text. Needs seccomp and
 * PR_SET_NO_NEW_PRIVS. */
int bpfcalls_limit(void);

#endif
