/*
 * schema: what a run has in the file besides the tables of model/tables.def, and how columns are
 * coded: one description that both save and load go by. Used by store only.
 *
 * A table of rows is one dataset of a compound type; the samples, which have values of metrics too,
 * are a group with one dataset a column. Rows refer to rows of other tables by number and to texts
 * by the number of the string.
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

/* Attributes of a run that hold the profile's own numbers; no text of a run may have their name. */
#define SCHEMA_STARTED	  "started" /* RFC 3339, for people */
#define SCHEMA_STARTED_NS "started_unix_ns"
#define SCHEMA_DURATION	  "duration_ns"
#define SCHEMA_HZ	  "hz"
#define SCHEMA_PARTS	  "parts" /* profile_parts() */
/* Before the key of an attribute of meta in which a run differs from its platform's: one platform
 * may have runs of several machines, kernels and days. Empty: the run has no such. */
#define SCHEMA_RUN_META "meta."

/* For the root's attribute "about": what a person with h5py needs to know. */
extern const char schema_about[];

/* Codes or decodes column @c of @n rows, @stride bytes apart, in place; @first is the column's
 * place in the first row. */
void column_encode(const struct column *c, char *first, size_t n, size_t stride);
void column_decode(const struct column *c, char *first, size_t n, size_t stride);

/* What the attribute "encoding" says of @n columns, "" when all are plain. Freed by the caller. */
char *columns_encoding(const struct column *columns, size_t n);

#endif
