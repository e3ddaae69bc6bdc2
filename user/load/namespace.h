/*
 * namespace: makes the programs identify processes by the numbers that the loader sees, also in a
 * nested PID namespace such as a container (bpf/ids.h). Used by session.
 */
#ifndef LOAD_NAMESPACE_H
#define LOAD_NAMESPACE_H

struct eprof_bpf;
struct bpf_link;

/* -ENOTSUP with a text if /proc does not show the process numbers of this namespace. */
int namespace_check(void);
/* Call before the programs are loaded. */
void namespace_configure(struct eprof_bpf *);
/* Call after that, before other programs run. *@out, which the caller destroys, is NULL in the
 * first namespace. Errors with a text. */
int namespace_open(struct eprof_bpf *, struct bpf_link **out);

#endif
