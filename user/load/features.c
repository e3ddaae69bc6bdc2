#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "load/features.h"
#include "load/features_row.h"

/* A descriptor is closed and means ok; other results depend on the errno. */
enum feature_state feature_settle(int r, char found[FEATURE_FOUND])
{
	if (r >= 0) {
		close(r);
		return FEATURE_OK;
	}
	if (r == -EPERM || r == -EACCES) {
		strcpy(found, "not permitted");
		return FEATURE_UNKNOWN;
	}
	snprintf(found, FEATURE_FOUND, "%s", strerror(-r));
	return FEATURE_MISSING;
}

static const struct feature_rows *const groups[] = {
	[FEATURE_KERNEL] = &features_kernel,
	[FEATURE_PRIVILEGE] = &features_privilege,
	[FEATURE_SETTING] = &features_setting,
};

static void probe_row(enum feature_group group, const struct feature_row *r, struct feature *f)
{
	*f = (struct feature){
		.group = group, .key = r->key, .what = r->what, .essential = r->essential};
	f->state = r->probe(f->found);
	f->means = f->state == FEATURE_UNKNOWN ? "cannot be tried without privileges"
		   : f->state == FEATURE_OK    ? r->with
					       : r->without;
	f->get = f->state == FEATURE_OK ? "" : f->state == FEATURE_UNKNOWN ? AS_ROOT : r->get;
}

size_t features_probe(struct feature out[FEATURES_MAX])
{
	size_t n = 0;

	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		for (size_t i = 0; i < groups[g]->n; i++) {
			assert(n < FEATURES_MAX);
			probe_row(g, &groups[g]->at[i], &out[n++]);
		}
	}
	return n;
}

bool features_own(const struct feature *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].key, FEATURE_OWN))
			return f[i].state == FEATURE_LIMITED;
	return false;
}

bool features_suffice(const struct feature *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].essential && f[i].state != FEATURE_OK && f[i].state != FEATURE_LIMITED)
			return false;
	return true;
}
