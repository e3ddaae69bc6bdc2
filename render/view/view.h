/*
 * view: a view turns a profile, seen through a selection, into blocks of a document. To add
 * one: a file view/x.c that exports one `const struct view x_view`, and a row in view/views.def.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "doc.h"
#include "query/zone_rows.h"
#include "view/delta.h"

struct shared_calls;

struct view_input {
	const struct profile *profile;
	const struct selection *selection;
	const struct tree *tree;      /* of that selection */
	const struct tree *zone_tree; /* of zones: see zone_tree_build() */
	const struct zone_rows *zone_rows;
	/* The profile against its baseline; NULL: not compared, or not all of it is selected. */
	const struct comparison *comparison;
	const struct deltas *deltas; /* the same by function and zone; NULL: not comparable, too */
	enum doc_medium medium;	     /* where the report is read */
	struct shared_calls *calls;  /* of a timeline, of that selection */
};

/* What a view is in a report whose user names none by --view. */
enum view_shows {
	SHOWS_NOT,
	SHOWS_FIRST, /* before all that only SHOWS: a page opens with its flame graph */
	SHOWS,
	SHOWS_ELSE, /* where no other view does */
};
#define IN_REPORTS [DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS, [DOC_TERMINAL] = SHOWS

struct view {
	const char *name;	/* for --view */
	const char *about;	/* one line for --help */
	enum profile_part part; /* what a profile must have for it; PART_ANY: nothing */
	/* What is said of a profile without that part; NULL: what write() says. */
	const char *missing;
	bool (*has)(const struct profile *); /* and what else; NULL: nothing */
	bool by_metric;		  /* it is of one metric: where several show, there once each */
	uint8_t shows[DOC_MEDIA]; /* enum view_shows; [DOC_PAGE] = SHOWS … */
	/* Adds its blocks. 0, or a negative errno with a text. */
	int (*write)(const struct view_input *, struct doc *);
};

/* Its blocks, or what is missing for them. As write(). */
int view_write(const struct view *, const struct view_input *, struct doc *);

/* NULL-terminated, in the order in which a report has them. */
extern const struct view *const views[];
#define VIEWS_MOST 40
/* The view of that name; NULL where there is none. */
const struct view *view_find(const char *name);
/* nearest_hint() of a name that no view has. */
char *view_hint(const char *name);
/* Puts the views into @out that show in @medium and of which the profile has something, or the
 * first such alone; @out has room for VIEWS_MOST, and ends with a NULL. */
void view_choose(enum doc_medium medium, bool one, const struct profile *, const struct view **out);

#endif
