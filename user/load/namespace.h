/*
 * namespace: makes the programs identify processes by the numbers that we see, also in a PID
 * namespace below the first, as in a container (bpf/ids.h). Used by session.
 */
#ifndef LOAD_NAMESPACE_H
#define LOAD_NAMESPACE_H

struct eprof_bpf;
struct bpf_link;

/* -ENOTSUP with a text where /proc does not show the numbers that processes have here. */
int namespace_check(void);
/* Before the programs are loaded. */
void namespace_configure(struct eprof_bpf *);
/* Once they are, and before others run. *@out, the caller's to destroy, is NULL in the first
 * namespace. Errors with a text. */
int namespace_open(struct eprof_bpf *, struct bpf_link **out);

#endif
