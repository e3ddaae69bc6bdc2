#include "store/run_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The groups of one level that a key allows. */
struct names {
	struct reader *reader;
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
	/* HDF5 itself would read a '/' as a path, and follow links on it. */
	if (info->type != H5L_TYPE_HARD || strchr(name, '/'))
		names->rc = reader_err(names->reader, -EINVAL, "'%s' is a link to elsewhere", name);
	else if (!names->reader->groups--)
		names->rc = reader_err(names->reader, -EFBIG, "it holds too many groups");
	else
		vec_push(&names->list, mem_strdup(name));
	return names->rc ? -1 : 0;
}

/* The names in @group; with a key only that one, without a walk through thousands. */
static int list_names(struct reader *r, hid_t group, const char *key, struct names *names)
{
	_free_ char *name = key ? h5_group_name(key, "") : NULL;
	hsize_t at = 0;
	H5L_info_t info;

	*names = (struct names){.reader = r};
	if (key) {
		if (reader_has(group, name) && H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0)
			add_name(group, name, &info, names);
		return names->rc;
	}
	names->rc = links_check(r, group);
	if (names->rc)
		return names->rc;
	if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, add_name, names) < 0 &&
	    !names->rc)
		names->rc = reader_err(r, -EINVAL, "a list of groups is damaged");
	return names->rc;
}

/* What the walk over versions hands to the walk over platforms. */
struct levels {
	struct reader *reader;
	const struct store_key *key;
	walk_platform_visit *visit;
	void *arg;
	struct walk_platform at;
};

static int walk_version(struct levels *l)
{
	struct names names;
	int rc = list_names(l->reader, l->at.version_group, l->key->platform, &names);

	for (size_t i = 0; !rc && i < names.list.n; i++) {
		_free_ char *key = h5_group_key(names.list.at[i]);
		_h5_ hid_t platform = H5Gopen2(l->at.version_group, names.list.at[i], H5P_DEFAULT);

		l->at.platform = key;
		l->at.group = platform;
		if (platform >= 0 && reader_has(platform, "profiles"))
			rc = l->visit(l->arg, &l->at);
	}
	names_release(&names);
	return rc;
}

static const struct store_key any;

int walk_platforms(struct reader *r, const struct store_key *key, walk_platform_visit *visit,
		   void *arg)
{
	struct levels l = {.reader = r, .key = key ? key : &any, .visit = visit, .arg = arg};
	struct names names;
	int rc = list_names(r, r->file, l.key->version, &names);

	for (size_t i = 0; !rc && i < names.list.n; i++) {
		_free_ char *name = h5_group_key(names.list.at[i]);
		_h5_ hid_t version = H5Gopen2(r->file, names.list.at[i], H5P_DEFAULT);

		l.at.version = name;
		l.at.version_group = version;
		if (version >= 0)
			rc = walk_version(&l);
	}
	names_release(&names);
	return rc;
}

/* What the walk over platforms hands to the walk over runs. */
struct runs {
	struct reader *reader;
	const char *only; /* the key, or NULL */
	walk_visit *visit;
	void *arg;
};

static int visit_run(const struct runs *w, const struct walk_platform *at, hid_t runs,
		     const char *name)
{
	_free_ char *key = h5_group_key(name);
	_h5_ hid_t run = -1;
	int rc = reader_group(w->reader, runs, name, &run);

	return rc ? rc
		  : w->visit(w->arg, &(struct walk_run){.version = at->version,
							.platform = at->platform,
							.name = key,
							.platform_group = at->group,
							.group = run});
}

static int walk_platform(void *arg, const struct walk_platform *at)
{
	const struct runs *w = arg;
	struct names names = {0};
	_h5_ hid_t runs = -1;
	int rc = reader_group(w->reader, at->group, "profiles", &runs);

	if (!rc)
		rc = list_names(w->reader, runs, w->only, &names);
	for (size_t i = 0; !rc && i < names.list.n; i++)
		rc = visit_run(w, at, runs, names.list.at[i]);
	names_release(&names);
	return rc;
}

int walk_runs(struct reader *r, const struct store_key *key, walk_visit *visit, void *arg)
{
	struct runs w = {.reader = r, .only = key ? key->run : NULL, .visit = visit, .arg = arg};

	return walk_platforms(r, key, walk_platform, &w);
}

/* --- one run ---------------------------------------------------------------------------------- */

/* The newest run so far. */
struct newest {
	hid_t platform, run;
	int64_t started_unix_ns;
};

static int consider(void *arg, const struct walk_run *at)
{
	struct newest *best = arg;
	int64_t started = 0;

	h5_get_number(at->group, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &started);
	if (best->run >= 0 && started < best->started_unix_ns)
		return 0;
	h5_cleanup(&best->run);
	h5_cleanup(&best->platform);
	*best = (struct newest){at->platform_group, at->group, started};
	H5Iinc_ref(best->platform);
	H5Iinc_ref(best->run);
	return 0;
}

int reader_no_run(const struct reader *r, const struct store_key *key)
{
	if (!key || (!key->version && !key->platform && !key->run))
		return reader_err(r, -ENOENT, "it holds no run");
	return reader_err(r, -ENOENT,
			  "it holds no run of%s%s%s%s%s%s: see 'eprof-render store runs'",
			  key->version ? " version " : "", key->version ? key->version : "",
			  key->platform ? " platform " : "", key->platform ? key->platform : "",
			  key->run ? " name " : "", key->run ? key->run : "");
}

int reader_find_run(struct reader *r, const struct store_key *key, hid_t *platform, hid_t *run)
{
	struct newest best = {.platform = -1, .run = -1};
	int rc = walk_runs(r, key, consider, &best);

	*platform = best.platform;
	*run = best.run;
	return !rc && best.run < 0 ? reader_no_run(r, key) : rc;
}

/* The group of that name, or if @name is NULL the only link in @parent; negative if @parent has
 * another number of links than @links. */
static hid_t open_only(const struct reader *r, hid_t parent, const char *name, hsize_t links)
{
	char only[256];
	H5G_info_t info;

	if (H5Gget_info(parent, &info) < 0 || info.nlinks != links)
		return -1;
	if (name)
		return H5Gopen2(parent, name, H5P_DEFAULT);
	if (links_check(r, parent))
		return -1;
	if (H5Lget_name_by_idx(parent, ".", H5_INDEX_NAME, H5_ITER_INC, 0, only, sizeof(only),
			       H5P_DEFAULT) >= (ssize_t)sizeof(only))
		return -1;
	return H5Gopen2(parent, only, H5P_DEFAULT);
}

int store_is_single(const char *path, bool *single)
{
	struct reader r;
	int rc = reader_open(&r, path);

	if (!rc) {
		_h5_ hid_t version = open_only(&r, r.file, NULL, 1);
		_h5_ hid_t platform = version < 0 ? -1 : open_only(&r, version, NULL, 1);
		/* A platform has two: the runs, and meta. */
		_h5_ hid_t runs = platform < 0 ? -1 : open_only(&r, platform, "profiles", 2);
		H5G_info_t info;

		*single = runs >= 0 && H5Gget_info(runs, &info) >= 0 && info.nlinks == 1;
	}
	reader_close(&r);
	return rc;
}
