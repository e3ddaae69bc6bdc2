/*
 * late: loads HDF5's library when it is first used. Debian's brings some thirty others with it, for
 * a network that nothing here uses: a process that loads them at its start is dearer to start and
 * to fork. So the programs do not link it: core/late has a function for each of HDF5's that store
 * calls, and each fails as HDF5's own do until the library is loaded. Programs that link HDF5, as
 * unit tests do, have no core/late. Used by store only.
 */
#ifndef STORE_LATE_H
#define STORE_LATE_H

/* Loads it once and for good. -ENOENT with a text if it is not installed. A confined process cannot
 * load it any more. */
int late_load(void) __attribute__((weak));
/* Whether late_load() will find it, most likely: a check that costs next to nothing. */
int late_check(void) __attribute__((weak));

#endif
