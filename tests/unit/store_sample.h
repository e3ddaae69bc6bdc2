/*
 * store_sample: stores of small profiles, for the tests of the store.
 */
#ifndef TESTS_STORE_SAMPLE_H
#define TESTS_STORE_SAMPLE_H

#include "base/err.h"
#include "model/meta.h"
#include "small_profile.h"
#include "store/catalog.h"
#include "store/store.h"

/* The small profile as run @i of that version: called "prog-@i", a second after the one before. */
static inline struct profile *store_sample(const char *version, int i)
{
	struct profile *p = small_profile();
	char *name = mem_printf("prog-%d", i);

	profile_set_meta(p, META_VERSION, version);
	profile_set_run(p, RUN_NAME, name);
	p->started_unix_ns += INT64_C(1000000000) * i;
	free(name);
	return p;
}

/* Adds it; what store_add() returned. */
static inline int store_sample_add(const char *path, const char *version, int i)
{
	struct profile *p = store_sample(version, i);
	int rc = store_add(path, p, NULL);

	profile_free(p);
	return rc;
}

/* How many runs the store has, each of which loads; negative where it or one of them does not. */
static inline int store_sample_count(const char *path)
{
	struct catalog c;
	int rc = catalog_load(path, &c);

	for (size_t i = 0; !rc && i < c.runs.n; i++) {
		const struct store_key key = {c.runs.at[i].version, c.runs.at[i].platform,
					      c.runs.at[i].name};
		struct profile *p = NULL;

		rc = store_load(path, &key, &p);
		profile_free(p);
	}
	rc = rc ? rc : (int)c.runs.n;
	catalog_release(&c);
	return rc;
}

#endif
