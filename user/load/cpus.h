/*
 * cpus: which CPUs are online.
 */
#ifndef LOAD_CPUS_H
#define LOAD_CPUS_H

/* Their numbers in *@out (owned by the caller), and how many; negative errno with a text. */
int cpus_online(int **out);
/* How many the kernel may ever have: the entries of a per-CPU map's value. */
int cpus_possible(void);

#endif
