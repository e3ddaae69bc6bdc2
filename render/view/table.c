#include "view/view.h"
#include "base/str.h"
#include "model/meta.h"
#include "select/nearest.h"

#include <string.h>

#define VIEW(name) extern const struct view name##_view;
#include "view/views.def"
#undef VIEW

const struct view *const views[] = {
#define VIEW(name) &name##_view,
#include "view/views.def"
#undef VIEW
	NULL,
};

_Static_assert(sizeof(views) / sizeof(*views) <= VIEWS_MOST, "those who choose have room for all");

const struct view *view_find(const char *name)
{
	for (const struct view *const *v = views; *v; v++)
		if (!strcmp((*v)->name, name))
			return *v;
	return NULL;
}

int view_write(const struct view *v, const struct view_input *in, struct doc *doc)
{
	if (!v->missing || profile_has(in->profile, v->part))
		return v->write(in, doc);
	doc_text(doc, "%s", v->missing);
	return 0;
}

char *view_hint(const char *name)
{
	struct nearest nearest = {0};

	for (const struct view *const *v = views; *v; v++)
		nearest_try(&nearest, name, (*v)->name);
	return nearest_hint(&nearest);
}

/* Of samples that never came the summary tells; a format of one view shows its empty table. */
static bool has_something(const struct profile *p, const struct view *v, bool one)
{
	return profile_has(p, v->part) && (!v->has || v->has(p)) &&
	       (v->part != PART_SAMPLES || one || p->samples.n > 0);
}

/* A command that starts several programs, as a build or a script does. */
#define PROGRAMS_MANY 4

static bool is_of_programs(const struct profile *p)
{
	const char *target = profile_run(p, RUN_TARGET);

	return target && (!strcmp(target, "-a") ||
			  (str_starts(target, "-- ") && p->processes.n >= PROGRAMS_MANY));
}

static bool is_opening(const struct view *v, enum doc_medium medium)
{
	return v->shows[medium] == SHOWS_FIRST || v == &summary_view || v == &about_view;
}

/* Of a whole machine, or a build, one asks first which program it was: right behind what the report
 * opens with. */
static void processes_first(enum doc_medium medium, const struct view **at, size_t n)
{
	size_t to = 0, from = 0;

	while (to < n && is_opening(at[to], medium))
		to++;
	while (from < n && at[from] != &processes_view)
		from++;
	if (from == n || from <= to)
		return;
	memmove(&at[to + 1], &at[to], (from - to) * sizeof(*at));
	at[to] = &processes_view;
}

void view_choose(enum doc_medium medium, bool one, const struct profile *p, const struct view **out)
{
	size_t n = 0;

	for (int how = SHOWS_FIRST; how <= SHOWS_ELSE && (how < SHOWS_ELSE || !n); how++)
		for (const struct view *const *v = views; *v && !(n && one); v++)
			if ((*v)->shows[medium] == how && has_something(p, *v, one))
				out[n++] = *v;
	out[n] = NULL;
	if (is_of_programs(p))
		processes_first(medium, out, n);
}
