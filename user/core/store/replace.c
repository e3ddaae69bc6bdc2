/* store_replace(): see store.h. */
#include <errno.h>
#include <string.h>

#include "store/change.h"
#include "store/put.h"

#define NAME_BYTES 1024

/* The last link of the way to @object. */
static bool own_name(hid_t object, char *name)
{
	char path[4 * NAME_BYTES];
	const ssize_t n = H5Iget_name(object, path, sizeof(path));
	const char *last = n > 0 && (size_t)n < sizeof(path) ? strrchr(path, '/') : NULL;

	if (!last || strlen(last + 1) >= NAME_BYTES)
		return false;
	strcpy(name, last + 1);
	return true;
}

/* Another may have become the newest since it was read. */
static bool is_of(hid_t run, const struct profile *p)
{
	int64_t started = 0, duration = 0;

	return !h5_get_number(run, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &started) &&
	       !h5_get_number(run, SCHEMA_DURATION, H5T_NATIVE_INT64, &duration) &&
	       started == p->started_unix_ns && duration == p->duration_ns;
}

/* Beside the old one first, of which nothing is left then. */
static int replace(struct reader *r, hid_t platform, const char *name, const struct profile *p)
{
	_free_ char *temporary = mem_printf("%s (is written)", name);
	_h5_ hid_t runs = -1, meta = -1;
	int rc = reader_group(r, platform, "profiles", &runs);

	if (!rc)
		rc = reader_group(r, platform, "meta", &meta);
	if (rc)
		return rc;
	if (put_raise_schema(r->file) || put_run_named(runs, meta, temporary, p) ||
	    H5Ldelete(runs, name, H5P_DEFAULT) < 0 ||
	    H5Lmove(runs, temporary, runs, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
		return reader_err(r, -EIO, "HDF5 could not take the profile");
	return 0;
}

int store_replace(const char *path, const struct store_key *key, const struct profile *p)
{
	_h5_ hid_t platform = -1, run = -1;
	char name[NAME_BYTES];
	struct reader r;
	int rc = reader_open_to_change(&r, path);

	if (!rc)
		rc = reader_find_run(&r, key, &platform, &run);
	if (!rc && !own_name(run, name))
		rc = reader_err(&r, -EINVAL, "the run's name is too long");
	if (!rc && !is_of(run, p))
		rc = reader_err(&r, -ESTALE, "somebody changed it meanwhile: try again");
	h5_cleanup(&run);
	if (!rc)
		rc = replace(&r, platform, name, p);
	h5_cleanup(&platform);
	return change_end(&r, rc);
}
