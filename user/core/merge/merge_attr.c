/* What is said of the machine and the run. An attribute that all profiles that have it agree on
 * stays; in which they differ, it says that. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "merge/merge_state.h"
#include "model/meta.h"

typedef void setter(struct profile *, const char *key, const char *text);
typedef const char *getter(const struct profile *, const char *key);

/* Where one must be chosen because a program reads it: the first in order of bytes. */
static bool is_chosen(const char *key)
{
	return !strcmp(key, META_TIMESTAMP) || !strcmp(key, RUN_METRIC);
}

/* Of what the capture had to be told of; not of the profile that the merge makes. */
static bool is_own(const char *key)
{
	return !strcmp(key, RUN_NAME) || !strcmp(key, RUN_WRITTEN_BY) || !strcmp(key, RUN_MERGED) ||
	       str_starts(key, REGRESSION_PREFIX);
}

static bool is_of_zones(const char *key)
{
	return !strcmp(key, RUN_CLOCK);
}

/* What stands for values that differ, so that a report that shows it can be read. */
static const char *several(const char *key)
{
	static const char *const texts[][2] = {
		{RUN_COMMAND, MERGE_SEVERAL " commands"},
		{RUN_TARGET, MERGE_SEVERAL " targets"},
		{RUN_EVENTS, MERGE_SEVERAL " events"},
		{RUN_END, MERGE_SEVERAL " causes"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i][0]))
			return texts[i][1];
	return MERGE_SEVERAL;
}

static void add(struct merge_next *n, const struct attr *a, getter *get, setter *set)
{
	const char *key = profile_text(n->from, a->key), *text = profile_text(n->from, a->text);
	const char *old = get(n->m->p, key);

	if (!text[0] || is_own(key) || (n->chosen && is_of_zones(key)))
		return;
	if (!old || (is_chosen(key) && strcmp(text, old) < 0))
		set(n->m->p, key, text);
	else if (!is_chosen(key) && strcmp(text, old) != 0)
		set(n->m->p, key, several(key));
}

void merge_add_attrs(struct merge_next *n)
{
	struct profile *p = n->m->p;

	for (size_t i = 0; i < n->from->meta.n; i++)
		add(n, &n->from->meta.at[i], profile_meta, profile_set_meta);
	for (size_t i = 0; i < n->from->run.n; i++)
		add(n, &n->from->run.at[i], profile_run, profile_set_run);
	if (!n->m->any)
		p->hz = n->from->hz;
	else if (p->hz != n->from->hz)
		p->hz = 0;
}
