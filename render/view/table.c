#include <string.h>

#include "view/views.h"

const struct view *const views[] = {
	&summary_view, &zones_view, &zone_flame_view, &zone_view,    &flame_view, &functions_view,
	&lines_view,   &paths_view, &processes_view,  &threads_view, &cost_view,  NULL,
};

const struct view *view_find(const char *name)
{
	for (const struct view *const *v = views; *v; v++)
		if (!strcmp((*v)->name, name))
			return *v;
	return NULL;
}

/* Of samples that never came the summary tells; a format of one view shows its empty table. */
static bool has_something(const struct profile *p, const struct view *v, bool one)
{
	switch (v->of) {
	case VIEW_OF_SAMPLES:
		return one ? p->metrics.n > 0 : p->samples.time_ns.n > 0;
	case VIEW_OF_ZONES:
		return profile_is_of_zones(p);
	case VIEW_OF_ANY:
		break;
	}
	return true;
}

void view_choose(const char *const *names, bool one, const struct profile *p,
		 const struct view **out)
{
	size_t n = 0;

	for (; *names && !(n && one); names++) {
		const struct view *v = view_find(*names);

		if (has_something(p, v, one))
			out[n++] = v;
	}
	out[n] = NULL;
}
