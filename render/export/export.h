/*
 * export: an export writes a selection of a profile in the format of another tool. To add one:
 * a file export/x.c that exports one `const struct export x_export`, and a row in
 * export/exports.def.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdio.h>

#include "query/tree.h"
#include "query/zone_rows.h"

/* What an export reads. */
enum export_source {
	EXPORT_TREE,   /* tree: the call tree by function */
	EXPORT_ZONES,  /* zone_rows */
	EXPORT_STACKS, /* part: its samples, nodes, frames, threads, metrics and reasons; of a
			* profile of zones alone their call tree stands there as samples */
	EXPORT_EVENTS, /* the same; of a profile with a timeline its events, too */
	EXPORT_TABLES, /* part: every table */
};

struct export_input {
	const struct profile *profile;
	const struct selection *selection;
	const struct tree *tree;	   /* of that selection */
	bool values;			   /* the metric's values rather than numbers of samples */
	const struct zone_rows *zone_rows; /* of that selection */
	bool self;			   /* zones: self times in place of total ones */
	const struct profile *part;	   /* that selection, see enum export_source */
	const char *table;		   /* of --table; NULL: not given */
};

struct export
{
	const char *name;      /* for --to */
	const char *extension; /* chosen by the output's name; NULL: by --to only */
	const char *beginning; /* the same by what the file's name begins with; NULL: not */
	const char *about;     /* one line for --help */
	enum export_source reads;
	bool takes_self;  /* heeds export_input's self */
	bool takes_table; /* heeds its table */
	bool walks;	  /* events need not be in memory: model/event_cursor.h */
	/* Writes all to @out. 0, or a negative errno with a text. The caller checks ferror() and
	 * closes. */
	int (*write)(const struct export_input *, FILE *out);
};

/* NULL-terminated. */
extern const struct export *const exports[];
/* By name; and by the extension of a file's name, the longest that fits, or its beginning. NULL
 * where there is none. */
const struct export *export_find(const char *name);
const struct export *export_find_for(const char *path);

/* A profile of one thread, "zones", with one row for each place of @zones (zone_tree_build()): how
 * often the zone was called there, the metric "calls", and its own ns, the metric "time", net where
 * the tree is. The rows have no time. Attributes are the profile's that the tree is of. Owned by
 * the caller. */
struct profile *export_zone_stacks(const struct tree *zones);

#endif
