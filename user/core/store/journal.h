/*
 * journal: writes the changes of an overlay into its file atomically: after a kill, a crash or a
 * power cut at any point the file has all of them or none. Used by store only.
 *
 * The journal stands at the end of the store itself, so no second file can be lost, misnamed or
 * left in a folder that cannot be written. To change a store whose objects end at B, the writer,
 * under the lock,
 *
 * 1. writes what is new behind B, behind that the changed pages, and behind them a trailer with a
 *    checksum over all three. HDF5 itself reads nothing behind the end that its superblock names,
 *    so for it the store is the old one;
 * 2. calls fdatasync. Now the change is made: readers lay the pages of a journal with a valid
 *    trailer over the file;
 * 3. writes the pages to their places, among them the superblock, which names the new end, and
 *    calls fdatasync;
 * 4. truncates the file at that end, which removes the journal.
 *
 * If it is stopped before the end of 2, there is no valid trailer, and the next writer cuts off
 * what is behind B. If it is stopped later, the next writer repeats 3 and 4. Only programs that
 * know nothing of journals (h5py, h5dump) can meet a half-changed store, during 3 or after a kill
 * then.
 *
 * The cost depends on the change, not on the store's size: some pages of 512 bytes and the new run.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "store/overlay.h"

/* Looks for a valid trailer at the end of @fd, a file of @bytes. 1: there is one, and @o becomes an
 * overlay of the file with the journal's pages and its end; 0: there is none, and @o stays as it
 * is; or -errno. The bytes may be a stranger's: memory is bounded by the file's size and
 * JOURNAL_MAX_PAGES. */
#define JOURNAL_MAX_PAGES (1u << 17) /* 64 MiB; an added run changes some ten */
int journal_read(struct overlay *o, int fd, uint64_t bytes);

/* Steps 3 and 4, for what journal_read() found. After -errno the file is as good as before. */
int journal_apply(const struct overlay *o);

/* Steps 1 to 4. After -errno the file is as before. Once step 2 is done it succeeds, even if the
 * pages cannot be written to their places: they are in the journal. */
int journal_commit(const struct overlay *o);

#endif
