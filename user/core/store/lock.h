/*
 * lock: who may read and who may change a store. Used by store only.
 *
 * A writer locks the whole file for itself from before it reads it until its change is in place;
 * readers share it while they read, so they never meet a change that is half there. Readers could
 * do without, by reading again where a change came between; but a lock of some milliseconds is
 * simple, and it is flock(2), which HDF5's own programs take too: no h5py writes while eprof does.
 *
 * A file system without locks (some NFS) is read without; nothing is added there. On NFS Linux
 * makes flock(2) a lock of the server, where that has them.
 */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

/* LOCK_SH or LOCK_EX on @fd; it goes with the descriptor. -EAGAIN where others kept it for
 * LOCK_PATIENCE_MS without a change to the file, else -errno. */
#define LOCK_PATIENCE_MS 60000
int lock_take(int fd, int how, int patience_ms);

#endif
