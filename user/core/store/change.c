#include "store/change.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "store/journal.h"

static int commit(struct reader *r)
{
	const hid_t file = r->file;
	int rc;

	r->file = -1;
	if (H5Fclose(file) < 0)
		return reader_err(r, -EIO, "HDF5 could not make the change");
	rc = journal_commit(&r->overlay);
	return rc ? err(rc, "cannot write '%s': %s: it is as it was", r->path, strerror(-rc)) : 0;
}

int change_end(struct reader *r, int rc)
{
	if (!rc)
		rc = commit(r);
	reader_close(r);
	return rc;
}
