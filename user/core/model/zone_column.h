/*
 * zone_column: the columns of a zone by name, for --sort and --where, with their titles in reports.
 * A profile's events are columns, too: see zone_events.h.
 */
#ifndef MODEL_ZONE_COLUMN_H
#define MODEL_ZONE_COLUMN_H

#include "model/profile.h"

/* How a column's value reads. */
enum zone_kind {
	ZONE_TEXT,    /* a name, a path, a word */
	ZONE_TIME,    /* ns */
	ZONE_COUNT,   /* a number of something */
	ZONE_PERCENT, /* 0 … */
	ZONE_CODE,    /* a number that is no amount: a line, an address */
	ZONE_SQUARE,  /* ns², for further computation */
};

/* Its type in struct zone. */
enum zone_field {
	ZONE_FIELD_I64,
	ZONE_FIELD_U64,
	ZONE_FIELD_F64,
	ZONE_FIELD_U32,
	ZONE_FIELD_STRING, /* number of a string */
	ZONE_FIELD_MODULE, /* row of modules */
	ZONE_FIELD_SITE,   /* enum site_class */
	ZONE_FIELD_EXIT,   /* enum exit_way */
	ZONE_FIELD_MARKS,  /* flags, as words */
	ZONE_FIELD_FAULTS, /* minflt and majflt together */
	ZONE_FIELD_EVENT,  /* no field: the sum of an event, see struct zone_row */
};

struct zone_column {
	const char *name;  /* as in the file: "total_ns" */
	const char *title; /* of a column of a report: "Total" */
	const char *help;  /* one sentence; may be NULL */
	enum zone_kind kind;
	enum zone_field field;
	size_t offset; /* in struct zone; of an event: its index */
};

/* A zone as tables show it, with the figures that are left of it by the selection. */
struct zone_row {
	uint32_t zone; /* row of zones */
	struct zone at;
	const int64_t *events; /* borrowed: the events' sums; NULL where they are not known */
};

/* In the order of the file's table, Tracy's ten first; "faults" is computed. The last has no name.
 */
extern const struct zone_column zone_columns[];

/* Finds a column by its name, with or without "_ns", or by "count", "marks" …; else NULL. */
const struct zone_column *zone_column_find(const char *name);

/* Whether the profile's zones have the column: imported zones may lack some (RUN_ZONE_COLUMNS).
 * True of events. */
bool zone_column_is_known(const struct zone_column *, const struct profile *);

/* The exact value of a numeric field of struct zone. */
long double zone_column_number(const struct zone_column *, const struct zone *);
/* The value of a ZONE_TEXT column; valid as long as the profile. */
const char *zone_column_text(const struct zone_column *, const struct profile *,
			     const struct zone *);
/* "12345", "0.125", "name": the value for machines, "" if it is not known. Freed by the caller. */
char *zone_column_print(const struct zone_column *, const struct profile *, const struct zone *);

/* The same for any column, events too; 0 if it is not known. */
long double zone_row_number(const struct zone_column *, const struct zone_row *);
char *zone_row_print(const struct zone_column *, const struct profile *, const struct zone_row *);

#endif
