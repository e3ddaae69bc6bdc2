/* store_add(): see store.h. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "model/meta.h"
#include "store/change.h"
#include "store/put.h"

/* More of one name in one version on one platform than anybody makes. */
#define MAX_SAME_NAME 100000

/* The runs of the profile's version and platform in *@runs, -1 where there are none. */
static int open_runs(struct reader *r, const struct profile *p, hid_t *runs)
{
	_free_ char *version_name = put_version_name(p);
	_free_ char *platform_name = put_platform_name(p);
	_h5_ hid_t version = -1, platform = -1;
	int rc;

	*runs = -1;
	if (!reader_has(r->file, version_name))
		return 0;
	rc = reader_group(r, r->file, version_name, &version);
	if (rc || !reader_has(version, platform_name))
		return rc;
	rc = reader_group(r, version, platform_name, &platform);
	if (rc || !reader_has(platform, "profiles"))
		return rc;
	return reader_group(r, platform, "profiles", runs);
}

static bool has_same_times(hid_t runs, const char *name, const struct profile *p)
{
	_h5_ hid_t run = H5Gopen2(runs, name, H5P_DEFAULT);
	int64_t started = 0, duration = 0;

	h5_get_number(run, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &started);
	h5_get_number(run, SCHEMA_DURATION, H5T_NATIVE_INT64, &duration);
	return started == p->started_unix_ns && duration == p->duration_ns;
}

/* Whether the store's run is @p itself, byte for byte. */
static int is_same(struct reader *r, const char *name, const struct profile *p, bool *same)
{
	_free_ char *version_name = put_version_name(p);
	_free_ char *platform_name = put_platform_name(p);
	_free_ char *version = h5_group_key(version_name);
	_free_ char *platform = h5_group_key(platform_name);
	_free_ char *run = h5_group_key(name);
	const struct store_key key = {version, platform, run};
	_free_ char *a = NULL, *b = NULL;
	struct profile *there = NULL;
	size_t n_a, n_b;
	int rc = reader_load(r, &key, &there);

	if (rc)
		return rc;
	rc = store_image(there, &a, &n_a);
	profile_free(there);
	rc = rc ? rc : store_image(p, &b, &n_b);
	*same = !rc && n_a == n_b && !memcmp(a, b, n_a);
	return rc;
}

/* Which of its name it is to be, 1 for the only one; 0: it is there already. */
static int find_place(struct reader *r, const struct profile *p, unsigned *nth)
{
	_h5_ hid_t runs = -1;
	int rc = open_runs(r, p, &runs);

	for (*nth = 1; !rc && runs >= 0 && *nth <= MAX_SAME_NAME; ++*nth) {
		_free_ char *name = put_run_name(p, *nth);
		bool same = false;

		if (!reader_has(runs, name))
			return 0;
		if (has_same_times(runs, name, p))
			rc = is_same(r, name, p, &same);
		if (same) {
			*nth = 0;
			return 0;
		}
	}
	if (!rc && *nth > MAX_SAME_NAME)
		rc = reader_err(r, -EFBIG, "it holds too many runs of one name");
	return rc;
}

static int add_to(struct reader *r, const struct profile *p, bool *added)
{
	unsigned nth = 1;
	int rc = find_place(r, p, &nth);

	*added = nth != 0;
	if (rc || !nth)
		return rc;
	rc = put_profile(r, r->file, p, nth);
	return rc == -EIO ? err(rc, "cannot add to '%s': HDF5 could not take the profile", r->path)
			  : rc;
}

static int add_to_store(const char *path, const struct profile *p, bool *added)
{
	struct reader r;
	int rc = reader_open_to_change(&r, path);

	*added = false;
	if (!rc)
		rc = add_to(&r, p, added);
	if (!rc && *added)
		return change_end(&r, 0);
	reader_close(&r);
	return rc;
}

/* A store that is not there is made; somebody else may make it at the same time, or take it away.
 */
int store_add(const char *path, const struct profile *p, bool *added)
{
	bool ignored;
	int rc = -EEXIST;

	added = added ? added : &ignored;
	for (int i = 0; rc == -EEXIST && i < 100; i++) {
		rc = add_to_store(path, p, added);
		if (rc != -ENOENT)
			return rc;
		rc = store_save(path, false, p);
		*added = !rc;
	}
	return rc;
}

int store_check(const char *path)
{
	struct reader r;
	int rc = reader_open_to_change(&r, path);

	reader_close(&r);
	return rc;
}
