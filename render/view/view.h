/*
 * view: a view turns a profile, seen through a selection, into blocks of a document. To add
 * one: a file view/x.c that exports one `const struct view x_view`, and a row in view/table.c.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "doc.h"
#include "model/zone_rows.h"

struct view_input {
	const struct profile *profile;
	const struct selection *selection;
	const struct tree *tree;      /* of that selection */
	const struct top *top;	      /* of that tree */
	const struct tree *zone_tree; /* of zones: see zone_tree_build() */
	const struct zone_rows *zone_rows;
};

/* What a profile must hold for a view to have something to show. */
enum view_of { VIEW_OF_ANY, VIEW_OF_SAMPLES, VIEW_OF_ZONES };

struct view {
	const char *name;  /* for --view */
	const char *about; /* one line for --help */
	enum view_of of;
	/* Adds its blocks. 0, or a negative errno with a text. */
	int (*write)(const struct view_input *, struct doc *);
};

/* NULL-terminated. */
extern const struct view *const views[];
/* The view of that name; NULL where there is none. */
const struct view *view_find(const char *name);
/* Puts those views of @names (NULL-terminated) into @out of which the profile holds something, or
 * the first such alone; @out has room for all, and ends with a NULL. */
void view_choose(const char *const *names, bool one, const struct profile *,
		 const struct view **out);

#endif
