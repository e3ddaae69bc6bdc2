#include "compare/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/comparable.h"
#include "compare/gather.h"
#include "query/zone_condition.h"

static size_t runs_of(const struct compare_input *in)
{
	return in->n[BASE] + in->n[NEW];
}

/* A zone is the same in two runs by its module's file and its name. */
static bool is_zone(const struct profile *p, const struct zone *z, const struct profile *of,
		    const struct zone *other)
{
	return !strcmp(profile_text(p, z->name), profile_text(of, other->name)) &&
	       !strcmp(str_base(profile_text(p, p->modules.at[z->module].path)),
		       str_base(profile_text(of, of->modules.at[other->module].path)));
}

static double calls_in(const struct profile *p, const struct profile *of, const struct zone *zone)
{
	double calls = 0;

	for (size_t i = 0; i < p->zones.n; i++)
		if (is_zone(p, &p->zones.at[i], of, zone))
			calls += (double)p->zones.at[i].counts;
	return calls;
}

static bool all_called(const struct compare_input *in, const struct profile *of,
		       const struct zone *zone)
{
	for (size_t i = 0; i < runs_of(in); i++)
		if (!(calls_in(gather_run(in, i), of, zone) > 0))
			return false;
	return true;
}

/* The zone with most time among those that no other zone calls: a request, a frame, a message. */
static const struct zone *outermost_zone(const struct compare_input *in, const struct profile *p)
{
	const struct zone *best = NULL;
	int64_t most = 0;

	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];

		if (e->parent || e->total_ns <= most || (p->zones.at[e->zone].flags & ZONE_PSEUDO))
			continue;
		if (!all_called(in, p, &p->zones.at[e->zone]))
			continue;
		most = e->total_ns;
		best = &p->zones.at[e->zone];
	}
	return best;
}

static int count_matches(const struct compare_input *in, const char *pattern, struct work *w)
{
	for (size_t i = 0; i < runs_of(in); i++) {
		const struct profile *p = gather_run(in, i);
		_free_ bool *match = NULL;
		int rc = zone_match(p, pattern, &match);

		if (rc)
			return rc;
		for (size_t z = 0; z < p->zones.n; z++)
			if (match[z])
				w->amount[i] += (double)p->zones.at[z].counts;
		if (!(w->amount[i] > 0))
			return err(-ENOENT,
				   "--work '%s': a run of the %s side has no call of it: name a "
				   "zone that all have",
				   pattern, i < in->n[BASE] ? "base" : "new");
	}
	w->per = mem_printf("per call of %s", pattern);
	return 0;
}

int work_find(const struct compare_input *in, const char *pattern, struct work *w)
{
	const struct profile *new = in->runs[NEW][0];
	const struct zone *zone;
	bool whole = true;

	*w = (struct work){.amount = mem_zalloc(runs_of(in) + 1, sizeof(*w->amount))};
	if (pattern)
		return count_matches(in, pattern, w);
	for (size_t i = 0; i < runs_of(in); i++)
		whole &= comparable_is_whole(gather_run(in, i));
	zone = whole ? NULL : outermost_zone(in, new);
	for (size_t i = 0; i < runs_of(in); i++)
		w->amount[i] = whole ? 1 : zone ? calls_in(gather_run(in, i), new, zone) : 0;
	w->per = whole	? mem_strdup("per run of the command")
		 : zone ? mem_printf("per call of %s", profile_text(new, zone->name))
			: mem_strdup("per unit of work");
	if (!whole && !zone)
		w->why_not = mem_strdup("there is no zone that all runs have counted calls of, "
					"and not all are of whole commands");
	return 0;
}

void work_release(struct work *w)
{
	free(w->amount);
	free(w->per);
	free(w->why_not);
	*w = (struct work){0};
}
