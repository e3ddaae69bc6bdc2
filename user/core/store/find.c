/* reader_find_run(): see reader.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/reader.h"

/* The groups of one level that a key allows. */
struct names {
	struct reader *reader;
	const char *only; /* NULL: all */
	VEC(char *) list;
	int rc;
};

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->list.n; i++)
		free(names->list.at[i]);
	vec_release(&names->list);
}

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *arg)
{
	struct names *names = arg;

	(void)group;
	if (names->only && strcmp(name, names->only) != 0)
		return 0;
	/* HDF5 itself would read a '/' as a path, and follow links on it. */
	if (info->type != H5L_TYPE_HARD || strchr(name, '/'))
		names->rc = reader_err(names->reader, -EINVAL, "'%s' is a link to elsewhere", name);
	else if (!names->reader->groups--)
		names->rc = reader_err(names->reader, -EFBIG, "it holds too many groups");
	else
		vec_push(&names->list, mem_strdup(name));
	return names->rc ? -1 : 0;
}

static int list_names(struct reader *r, hid_t group, const char *key, struct names *names)
{
	_free_ char *only = key ? h5_group_name(key, "") : NULL;
	hsize_t at = 0;

	*names = (struct names){.reader = r, .only = only};
	if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, add_name, names) < 0 &&
	    !names->rc)
		names->rc = reader_err(r, -EINVAL, "a list of groups is damaged");
	names->only = NULL;
	return names->rc;
}

/* The newest run so far. */
struct newest {
	hid_t platform, run;
	int64_t started_unix_ns;
};

static int consider_runs(struct reader *r, const struct store_key *key, hid_t platform,
			 struct newest *best)
{
	_h5_ hid_t runs = -1;
	struct names names = {0};
	int rc = 0;

	if (H5Lexists(platform, "profiles", H5P_DEFAULT) <= 0)
		return 0;
	rc = reader_group(r, platform, "profiles", &runs);
	if (!rc)
		rc = list_names(r, runs, key->run, &names);
	for (size_t i = 0; !rc && i < names.list.n; i++) {
		_h5_ hid_t run = -1;
		int64_t started = 0;

		rc = reader_group(r, runs, names.list.at[i], &run);
		if (rc)
			break;
		h5_get_number(run, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &started);
		if (best->run >= 0 && started < best->started_unix_ns)
			continue;
		h5_cleanup(&best->run);
		h5_cleanup(&best->platform);
		best->started_unix_ns = started;
		best->run = run;
		best->platform = platform;
		H5Iinc_ref(platform);
		run = -1;
	}
	names_release(&names);
	return rc;
}

/* Groups below @parent that are no groups of ours are passed over: others may keep things there. */
static int consider_platforms(struct reader *r, const struct store_key *key, hid_t version,
			      struct newest *best)
{
	struct names names;
	int rc = list_names(r, version, key->platform, &names);

	for (size_t i = 0; !rc && i < names.list.n; i++) {
		_h5_ hid_t platform = H5Gopen2(version, names.list.at[i], H5P_DEFAULT);

		if (platform >= 0)
			rc = consider_runs(r, key, platform, best);
	}
	names_release(&names);
	return rc;
}

int reader_find_run(struct reader *r, const struct store_key *key, hid_t *platform, hid_t *run)
{
	static const struct store_key any;
	struct newest best = {.platform = -1, .run = -1};
	struct names names;
	int rc;

	key = key ? key : &any;
	rc = list_names(r, r->file, key->version, &names);
	for (size_t i = 0; !rc && i < names.list.n; i++) {
		_h5_ hid_t version = H5Gopen2(r->file, names.list.at[i], H5P_DEFAULT);

		if (version >= 0)
			rc = consider_platforms(r, key, version, &best);
	}
	names_release(&names);
	*platform = best.platform;
	*run = best.run;
	if (!rc && best.run < 0)
		rc = reader_err(r, -ENOENT,
				key->version || key->platform || key->run ? "it holds no such run"
									  : "it holds no run");
	return rc;
}
