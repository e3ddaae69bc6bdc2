/* store_remove(): see store.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/change.h"
#include "store/run_list.h"

/* The paths of what is to go: it is not removed while it is gone through. */
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

/* The path without what follows its last '/'. */
static void cut_last(char *path)
{
	*strrchr(path, '/') = '\0';
}

/* A run, the platform of which it was the last, the version of which that was. */
static int remove_path(hid_t file, char *path)
{
	if (H5Ldelete(file, path, H5P_DEFAULT) < 0)
		return -EIO;
	cut_last(path);
	if (!is_empty(file, path))
		return 0;
	cut_last(path);
	if (H5Ldelete(file, path, H5P_DEFAULT) < 0)
		return -EIO;
	cut_last(path);
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
