/* reader_find_run(): see reader.h. */
#include <errno.h>
#include <string.h>

#include "store/run_list.h"

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
