#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/store_command.h"
#include "model/meta.h"
#include "store/catalog.h"

int store_command_none(const struct store_command *c, const char *version)
{
	return err(-ENOENT, "'%s' holds no version %s: see 'eprof-render store versions'", c->store,
		   version);
}

struct tally {
	size_t added, there;
};

static int add_run(const struct store_command *c, const char *file, const struct catalog_run *r,
		   struct tally *t)
{
	const struct store_key key = {r->version, r->platform, r->name};
	struct profile *p = NULL;
	bool added = false;
	int rc = store_load(file, &key, &p);

	if (!rc && profile_run(p, RUN_UNKNOWN_PARTS))
		rc = err(-ENOTSUP,
			 "cannot add '%s': it has parts that this program does not know (%s) and "
			 "would lose: use a newer eprof-render",
			 file, profile_run(p, RUN_UNKNOWN_PARTS));
	if (!rc && c->key.version)
		profile_set_meta(p, META_VERSION, c->key.version);
	if (!rc && c->key.platform)
		profile_set_meta(p, META_PLATFORM, c->key.platform);
	if (!rc)
		rc = store_add(c->store, p, &added);
	if (!rc)
		*(added ? &t->added : &t->there) += 1;
	profile_free(p);
	return rc;
}

static int add_file(const struct store_command *c, const char *file, struct tally *t)
{
	struct catalog runs;
	int rc;

	if (file_same(c->store, file))
		return err(-EINVAL, "'%s' is the store itself: name a file to add to it", file);
	rc = catalog_load(file, &runs);
	if (!rc && !runs.runs.n)
		rc = err(-ENOENT, "cannot add '%s': it holds no run", file);
	for (size_t i = 0; !rc && i < runs.runs.n; i++)
		rc = add_run(c, file, &runs.runs.at[i], t);
	catalog_release(&runs);
	return rc;
}

/* The others are added where one cannot be. */
int store_command_add(const struct store_command *c)
{
	struct tally t = {0};
	int status = 0;

	if (c->key.run)
		return render_usage("store add: --run is for what is in the store");
	for (size_t i = 0; i < c->n_files; i++) {
		int rc = add_file(c, c->files[i], &t);

		status = rc ? render_fail() : status;
	}
	if (!t.added && !t.there)
		return status;
	fprintf(stderr, "eprof-render: %zu run%s added to '%s'", t.added, t.added == 1 ? "" : "s",
		c->store);
	if (t.there)
		fprintf(stderr, ", %zu %s there already", t.there, t.there == 1 ? "was" : "were");
	fputs("\n", stderr);
	return status;
}

int store_command_remove(const struct store_command *c)
{
	size_t n = 0;
	int rc;

	if (!c->key.version && !c->key.platform && !c->key.run)
		return render_usage("store remove: say which runs: --version-key, --platform, "
				    "--run");
	rc = store_remove(c->store, &c->key, &n);
	if (!rc)
		fprintf(stderr, "eprof-render: %zu run%s removed from '%s'\n", n, n == 1 ? "" : "s",
			c->store);
	return rc;
}

int store_command_compact(const struct store_command *c)
{
	char was[UNITS_BUF], is[UNITS_BUF];
	uint64_t before = 0, after = 0;
	int rc = store_compact(c->store, &before, &after);

	if (!rc)
		fprintf(stderr, "eprof-render: '%s' takes %s, before %s\n", c->store,
			units_bytes(is, sizeof(is), (double)after),
			units_bytes(was, sizeof(was), (double)before));
	return rc;
}
