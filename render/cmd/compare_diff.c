#include "cmd/compare_diff.h"

#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "query/filter.h"

int diff_wanted_way(struct diff_wanted *w, const char *text)
{
	w->has_way = true;
	return diff_way_find(text, &w->way);
}

/* Sides are called by what tells them apart: their versions, their files, else when they were. */
static char *side_name(const struct comparison *c, const char *const files[SIDES], int side)
{
	const char *version = c->run[side][0].version, *other = c->run[!side][0].version;
	const bool named = files[BASE] && files[NEW];
	char when[UNITS_BUF];

	if (*version && *other && strcmp(version, other) != 0)
		return mem_strdup(version);
	if (named && strcmp(str_base(files[BASE]), str_base(files[NEW])) != 0)
		return mem_strdup(str_base(files[side]));
	if (named && strcmp(files[BASE], files[NEW]) != 0)
		return mem_strdup(files[side]);
	return mem_printf("%s of %s", side == BASE ? "base" : "new",
			  units_time(when, sizeof(when), c->run[side][0].started_unix_ns));
}

int compare_diff(const struct sides *s, const char *const files[SIDES], const struct comparison *c,
		 const struct selection *selection, const struct diff_wanted *w, struct diff **out)
{
	const struct compare_input in = {.runs = {s->runs[BASE].at, s->runs[NEW].at},
					 .n = {s->runs[BASE].n, s->runs[NEW].n}};
	_free_ char *base = side_name(c, files, BASE), *new = side_name(c, files, NEW);
	struct diff_options o = {.selection = *selection,
				 .side = {base, new},
				 .work = w->work,
				 .way = w->has_way ? &w->way : NULL};

	filter_choose_metric(in.runs[NEW][0], &o.selection);
	return diff_build(&in, c, &o, out);
}
