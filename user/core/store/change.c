/* The functions of store.h that change a store: each change is made whole or not at all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "model/meta.h"
#include "store/journal.h"
#include "store/put.h"
#include "store/run_list.h"

/* More runs of one name in one version on one platform than anybody makes. */
#define MAX_SAME_NAME 100000
#define NAME_BYTES    1024

/* Closes the file. If @rc is 0, the change is written first, else the file stays as it was. Returns
 * the first error, with a text: -ENOSPC, -EIO … */
static int change_end(struct reader *r, int rc)
{
	const hid_t file = r->file;

	if (!rc) {
		r->file = -1;
		if (H5Fclose(file) < 0)
			rc = reader_err(r, -EIO, "HDF5 could not make the change");
		else if ((rc = journal_commit(&r->overlay)))
			err(rc, "cannot write '%s': %s: it is as it was", r->path, strerror(-rc));
	}
	reader_close(r);
	return rc;
}

/* Whether the run was made when @p was. */
static bool has_same_times(hid_t run, const struct profile *p)
{
	int64_t started = 0, duration = 0;

	return !h5_get_number(run, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &started) &&
	       !h5_get_number(run, SCHEMA_DURATION, H5T_NATIVE_INT64, &duration) &&
	       started == p->started_unix_ns && duration == p->duration_ns;
}

/* --- adding ----------------------------------------------------------------------------------- */

/* The group of the runs of a version and platform, by their groups' @names, in *@runs; -1 if there
 * are none. */
static int open_runs(struct reader *r, const struct store_key *names, hid_t *runs)
{
	_h5_ hid_t version = -1, platform = -1;
	int rc;

	*runs = -1;
	if (!reader_has(r->file, names->version))
		return 0;
	rc = reader_group(r, r->file, names->version, &version);
	if (rc || !reader_has(version, names->platform))
		return rc;
	rc = reader_group(r, version, names->platform, &platform);
	if (rc || !reader_has(platform, "profiles"))
		return rc;
	return reader_group(r, platform, "profiles", runs);
}

/* Whether the store's run is @p itself, byte for byte. */
static int is_same(struct reader *r, const struct store_key *names, const char *name,
		   const struct profile *p, bool *same)
{
	_free_ char *version = h5_group_key(names->version);
	_free_ char *platform = h5_group_key(names->platform);
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

/* Finds out the how many-th run of its name the profile becomes, from 1; 0: it is in the store. */
static int find_place(struct reader *r, const struct profile *p, unsigned *nth)
{
	_free_ char *version = put_version_name(p), *platform = put_platform_name(p);
	const struct store_key names = {version, platform, NULL};
	_h5_ hid_t runs = -1;
	bool same = false;
	int rc = open_runs(r, &names, &runs);

	for (*nth = 1; !rc && runs >= 0 && *nth <= MAX_SAME_NAME; ++*nth) {
		_free_ char *name = put_run_name(p, *nth);
		_h5_ hid_t run = -1;

		if (!reader_has(runs, name))
			break;
		run = H5Gopen2(runs, name, H5P_DEFAULT);
		if (has_same_times(run, p))
			rc = is_same(r, &names, name, p, &same);
		if (same)
			break;
	}
	if (!rc && *nth > MAX_SAME_NAME)
		rc = reader_err(r, -EFBIG, "it holds too many runs of one name");
	*nth = same ? 0 : *nth;
	return rc;
}

static int add_to_store(const char *path, const struct profile *p, bool *added)
{
	unsigned nth = 1;
	struct reader r;
	int rc = reader_open_to_change(&r, path);

	*added = false;
	if (!rc)
		rc = find_place(&r, p, &nth);
	if (rc || !nth) {
		reader_close(&r);
		return rc;
	}
	*added = true;
	rc = put_profile(&r, r.file, p, nth);
	if (rc == -EIO)
		err(rc, "cannot add to '%s': HDF5 could not take the profile", path);
	return change_end(&r, rc);
}

/* Makes a store that is not there; meanwhile somebody else may make it, too, or remove it. */
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

/* --- replacing -------------------------------------------------------------------------------- */

/* The last name on the path to @object. */
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

/* Writes the new run beside the old one, removes that, and renames the new one. */
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
	/* Another run may have become the newest since the profile was read. */
	if (!rc && !has_same_times(run, p))
		rc = reader_err(&r, -ESTALE, "somebody changed it meanwhile: try again");
	h5_cleanup(&run);
	if (!rc)
		rc = replace(&r, platform, name, p);
	h5_cleanup(&platform);
	return change_end(&r, rc);
}

/* --- removing --------------------------------------------------------------------------------- */

/* Paths of the runs to remove: nothing is removed while the store is walked. */
struct doomed {
	VEC(char *) paths;
};

static int note_run(void *arg, const struct walk_run *at)
{
	struct doomed *d = arg;
	_free_ char *version = h5_group_name(at->version, "");
	_free_ char *platform = h5_group_name(at->platform, "");
	_free_ char *run = h5_group_name(at->name, "");

	vec_push(&d->paths, mem_printf("/%s/%s/profiles/%s", version, platform, run));
	return 0;
}

static bool is_empty(hid_t file, const char *path)
{
	_h5_ hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
	H5G_info_t info;

	return group >= 0 && H5Gget_info(group, &info) >= 0 && !info.nlinks;
}

/* Removes the run, its platform if that has no other run, and its version if that has no other
 * platform. */
static int remove_path(hid_t file, char *path)
{
	if (H5Ldelete(file, path, H5P_DEFAULT) < 0)
		return -EIO;
	*strrchr(path, '/') = '\0';
	if (!is_empty(file, path))
		return 0;
	*strrchr(path, '/') = '\0';
	if (H5Ldelete(file, path, H5P_DEFAULT) < 0)
		return -EIO;
	*strrchr(path, '/') = '\0';
	return is_empty(file, path) && H5Ldelete(file, path, H5P_DEFAULT) < 0 ? -EIO : 0;
}

int store_remove(const char *path, const struct store_key *key, size_t *n)
{
	struct doomed d = {0};
	struct reader r;
	int rc = reader_open_to_change(&r, path);

	if (!rc)
		rc = walk_runs(&r, key, note_run, &d);
	*n = d.paths.n;
	if (!rc && !*n)
		rc = reader_no_run(&r, key);
	for (size_t i = 0; i < d.paths.n; i++) {
		if (!rc && remove_path(r.file, d.paths.at[i]))
			rc = reader_err(&r, -EIO, "HDF5 could not remove '%s'", d.paths.at[i]);
		free(d.paths.at[i]);
	}
	vec_release(&d.paths);
	return change_end(&r, rc);
}
