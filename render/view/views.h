/*
 * views: the views there are, for the table alone; everybody else asks view_find().
 */
#ifndef VIEW_VIEWS_H
#define VIEW_VIEWS_H

#include "view/view.h"

extern const struct view summary_view, flame_view, functions_view, paths_view, processes_view,
	threads_view, cost_view, zones_view, zone_flame_view, zone_view, lines_view;

#endif
