/*
 * tracy_row: the lines of what Tracy's tracy-csvexport prints (csvexport/src/csvexport.cpp). It
 *puts nothing in quotes, so names of templates hold commas: a row is read from its right end, where
 * numbers stand. Names in quotes (RFC 4180), as eprof's own export has them, are taken out of them.
 *
 *	name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns
 *	                                              [,percentile_ns,truncated_mean_ns]  with -t
 *	name,src_file,src_line,ns_since_start,exec_time_ns,thread,value                   with -u
 */
#ifndef IMPORT_TRACY_ROW_H
#define IMPORT_TRACY_ROW_H

#include "base/str.h"
#include "import/scan.h"

enum tracy_kind { TRACY_STATISTICS, TRACY_TRUNCATED, TRACY_CALLS };

struct tracy_header {
	enum tracy_kind kind;
	struct span separator; /* within the line that was given */
};

/* Whether a line is a header of zones. */
bool tracy_header_read(struct span line, struct tracy_header *);
/* Whether it is one that names a column twice: "counts". NULL: it is not. */
const char *tracy_header_twice(struct span line);

/* Numbers of a row, from src_line on: as many as the header has behind src_file. */
#define TRACY_NUMBERS 10

struct tracy_row {
	struct str name, file; /* owned; taken over from row to row */
	struct span numbers[TRACY_NUMBERS];
	struct span place; /* name, file and line as they stand in the row */
};

/* False: the row has too few columns. */
bool tracy_row_read(struct span line, const struct tracy_header *, struct tracy_row *);
void tracy_row_release(struct tracy_row *);

#endif
