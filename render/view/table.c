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
