/*
 * journal: puts the changes of an overlay into its file as one: after a kill, a crash or a power
 * cut at any point the file has all of them or none. Used by store only.
 *
 * The journal stands at the end of the store itself, so no second file can be lost, misnamed or
 * left in a folder that cannot be written. To change a store whose objects end at B, under the
 * lock:
 *
 * 1. What is new is written behind B, behind it the changed pages, behind them a trailer with a
 *    checksum over all three. HDF5 itself reads nothing behind the end that its superblock names,
 *    so for it the store is the old one.
 * 2. fdatasync. With it the change is made: a store that ends in a trailer whose checksum is right
 *    is read with its pages over it.
 * 3. The pages are written to their places, one of them the superblock's, which now names the new
 *    end; fdatasync.
 * 4. The file is cut off at that end, and with it the journal.
 *
 * Stopped before the end of 1 or 2, there is no right trailer; the next writer cuts off what is
 * behind B. Stopped later, the next writer does 3 and 4 again, which changes nothing that was
 * done, and readers lay the pages over the file. Only programs that know nothing of journals (h5py,
 * h5dump) can, while 3 is under way or after a kill just then, meet a store that is half changed.
 *
 * The cost is that of what changes: some pages of 512 bytes and the new run, whatever the store's
 * size.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "store/overlay.h"

/* Looks for a right trailer at the end of @fd, a file of @bytes: 1 where there is one, and @o is
 * then over what the file holds, with the journal's pages and its end; 0 where there is none, and
 * @o stays as it is; or -errno. Bytes may be a stranger's: bounded in memory by the file's size and
 * JOURNAL_MAX_PAGES. */
#define JOURNAL_MAX_PAGES (1u << 17) /* 64 MiB; an added run changes some ten */
int journal_read(struct overlay *o, int fd, uint64_t bytes);

/* Step 3 and 4, of what journal_read() found. -errno where it cannot be done: the file is as good
 * as before. */
int journal_apply(const struct overlay *o);

/* Step 1 to 4. -errno where it could not be made: the file is as before. Once step 2 is done it
 * succeeds, even where the pages find no way to their places: they are in the journal. */
int journal_commit(const struct overlay *o);

#endif
