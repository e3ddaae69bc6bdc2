/*
 * late: HDF5's library, loaded when it is first used. Debian's takes some thirty others with it, of
 * the network, which nothing here uses: a process that loads them at its start is dearer to start
 * and to fork. So the programs link none of it: core/late has a function for each of HDF5's that
 * store calls, and each fails as HDF5's own do until the library is there. Programs that link HDF5,
 * as unit tests do, have no core/late. Used by store only.
 */
#ifndef STORE_LATE_H
#define STORE_LATE_H

/* Loads it, once; for good. -ENOENT with a text where it is not to be had. Before the process is
 * confined: nothing can be loaded there. */
int late_load(void) __attribute__((weak));
/* Whether late_load() will find it, likely: it costs nothing where it does. */
int late_check(void) __attribute__((weak));

#endif
