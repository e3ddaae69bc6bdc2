/*
 * change: one change to a store, made as a whole or not at all (journal.h). Used by store only.
 *
 *	rc = reader_open_to_change(&r, path);
 *	if (!rc)
 *		rc = …what HDF5 does to r.file…;
 *	return change_end(&r, rc);
 */
#ifndef STORE_CHANGE_H
#define STORE_CHANGE_H

#include "store/reader.h"

/* Closes the file; where @rc is 0 it is changed before, else as it was. Returns the first error,
 * with a text: -ENOSPC, -EIO … */
int change_end(struct reader *r, int rc);

#endif
