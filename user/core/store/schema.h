/*
 * schema: what a run has in the file besides the tables of model/tables.def, and how columns are
 * coded, for both writing and reading. Used by store only.
 *
 * A table is one dataset of a compound type; the samples, which have values of metrics too, are a
 * group with one dataset a column. Cells refer to rows of other tables and to strings by number;
 * columns that are spelled out (struct column) have their texts in datasets of their own, too.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cell.h"
#include "model/profile.h"

/* The values of metric i are in dataset "value_<i>". */
extern const struct column schema_values;

/* Attributes of a run that hold numbers of the profile; no text attribute may have their names. */
#define SCHEMA_STARTED	  "started" /* RFC 3339, for people */
#define SCHEMA_STARTED_NS "started_unix_ns"
#define SCHEMA_DURATION	  "duration_ns"
#define SCHEMA_HZ	  "hz"
#define SCHEMA_PARTS	  "parts" /* profile_parts() */
/* Precedes the key of a meta attribute in which a run differs from its platform's: one platform may
 * have runs of several machines, kernels and days. Empty: the run lacks it. */
#define SCHEMA_RUN_META "meta."

/* The root's attribute "about": what a person with h5py needs to know. */
extern const char schema_about[];

/* Codes or decodes the cells of column @c in place: @n cells, @stride bytes apart from @first on.
 */
void column_encode(const struct column *c, char *first, size_t n, size_t stride);
void column_decode(const struct column *c, char *first, size_t n, size_t stride);

/* The attribute "encoding" for @n columns, "" if all are plain. Freed by the caller. */
char *columns_encoding(const struct column *columns, size_t n);

#endif
