/* csv, json-profile: whole tables of a profile, by their descriptions (model/table.h). */
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "model/profile.h"
#include "paint/csv.h"
#include "base/json.h"
#include "store/store.h"

/* Of a column of texts. @row is where the row begins in memory. */
static const char *cell_text(const struct profile *p, const struct column *c, const char *row)
{
	return profile_text(p, *(const uint32_t *)(row + c->offset));
}

/* Prints one of the others; a fraction with all its digits, so that reading it back is exact. */
static void cell_number(const struct column *c, const char *row, FILE *out)
{
	const char *at = row + c->offset;

	switch ((enum column_type)c->type) {
	case COLUMN_U8:
		json_int(out, "", *(const uint8_t *)at);
		break;
	case COLUMN_U32:
		json_int(out, "", *(const uint32_t *)at);
		break;
	case COLUMN_U64:
		fprintf(out, "%" PRIu64, *(const uint64_t *)at);
		break;
	case COLUMN_I64:
		json_int(out, "", *(const int64_t *)at);
		break;
	case COLUMN_F64:
		fprintf(out, "%.17g", *(const double *)at);
		break;
	case COLUMN_TEXT:
	case COLUMN_I128:
		break;
	}
}

/* --- csv -------------------------------------------------------------------------------------- */

/*
 * csv: one table of the profile, by --table, with a line of names: every column that the file has
 * (model/tables.def), texts as such, numbers in full. A column "row" comes first, by which other
 * tables refer to it; "samples" has a column for each metric behind the others.
 */
static void text_write(FILE *out, const char *before, const char *text)
{
	_free_ char *clean =
		str_is_clean(text, strlen(text)) ? NULL : str_clean(text, strlen(text));

	csv_field(out, before, clean ? clean : text);
}

static void cell_write(const struct profile *p, const struct column *c, const char *row, FILE *out)
{
	putc_unlocked(',', out);
	if (c->type == COLUMN_TEXT)
		text_write(out, "", cell_text(p, c, row));
	else
		cell_number(c, row, out);
}

/* Names of columns; of a table that has values of metrics, theirs too. */
static void head_write(const struct profile *p, const struct table *t, FILE *out)
{
	fputs("row", out);
	for (size_t c = 0; c < t->n_columns; c++)
		if (!t->columns[c].inner)
			text_write(out, ",", t->columns[c].name);
	for (size_t m = 0; t->valued && m < p->metrics.n; m++)
		text_write(out, ",", profile_text(p, p->metrics.at[m].name));
	putc('\n', out);
}

static void rows_write(const struct profile *p, const struct table_place *place, FILE *out)
{
	const struct table *t = place->table;
	const struct any_vec *rows = table_vec(place, p);

	head_write(p, t, out);
	for (size_t i = 0; i < rows->n && !ferror(out); i++) {
		json_int(out, "", (int64_t)i);
		for (size_t c = 0; c < t->n_columns; c++)
			if (!t->columns[c].inner)
				cell_write(p, &t->columns[c], rows->at + i * t->row_bytes, out);
		for (size_t m = 0; t->valued && m < p->samples.values.n; m++)
			json_int(out, ",", p->samples.values.at[m].at[i]);
		putc_unlocked('\n', out);
	}
}

/* "csv: the profile has no table 'x': it has modules, functions, …" */
static int refuse(const struct profile *p, const char *table)
{
	struct str names = {0};

	for (const struct table_place *t = profile_tables; t->table; t++)
		if (profile_has(p, t->table->part))
			str_addf(&names, "%s%s", names.n ? ", " : "", t->table->name);
	err(-EINVAL, "csv: the profile has no table '%s': it has %s", table, str_text(&names));
	str_release(&names);
	return -EINVAL;
}

static int csv_write(const struct export_input *in, FILE *out)
{
	const struct table_place *t = profile_tables;

	while (t->table && strcmp(t->table->name, in->table) != 0)
		t++;
	if (!t->table || !profile_has(in->part, t->table->part))
		return refuse(in->part, in->table);
	rows_write(in->part, t, out);
	return 0;
}

const struct export csv_export = {
	.name = "csv",
	.extension = "csv",
	.about = "one table of the profile, which --table names",
	.reads = EXPORT_TABLES,
	.takes_table = true,
	.write = csv_write,
};

/* --- json-profile ----------------------------------------------------------------------------- */

/*
 * json-profile: the whole profile, table by table, as the file has it:
 *
 *	{"format":"eprof","schema":3,"started_unix_ns":1772366400000000000,"duration_ns":10000000000,
 *	 "hz":100,"parts":"samples","meta":{"version":"3.40.1"},"run":{"command":"sqlite3"},
 *	 "tables":{
 *	  "modules":{"path":["","/usr/bin/sqlite3"],"build_id":["","0a1b2c"]}, …
 *	  "samples":{"time_ns":[0],"thread":[0],"node":[7],"zone":[0],"reason":[0],
 *	   "wait_ns":[0],"values":{"cpu-clock":[10000000]}}}}
 *
 * Columns are arrays, texts stand in them. A number that refers to another table is its row there.
 */
struct writer {
	const struct profile *p;
	FILE *out;
};

/* Texts that were set under one key once: a key is there once. */
static void attributes_write(struct writer *w, const char *key, const struct attr *at, size_t n)
{
	fprintf(w->out, ",\n\"%s\":{", key);
	for (size_t i = 0; i < n; i++) {
		json_text(w->out, i ? "," : "", profile_text(w->p, at[i].key));
		json_text(w->out, ":", profile_text(w->p, at[i].text));
	}
	putc('}', w->out);
}

static void column_write(struct writer *w, const struct table_place *t, const struct column *c)
{
	const struct any_vec *rows = table_vec(t, w->p);

	json_text(w->out, c == t->table->columns ? "" : ",\n ", c->name);
	fputs(":[", w->out);
	for (size_t i = 0; i < rows->n && !ferror(w->out); i++) {
		const char *row = rows->at + i * t->table->row_bytes;

		if (c->type == COLUMN_TEXT) {
			json_text(w->out, i ? "," : "", cell_text(w->p, c, row));
			continue;
		}
		if (i)
			putc_unlocked(',', w->out);
		cell_number(c, row, w->out);
	}
	putc(']', w->out);
}

static void values_write(struct writer *w)
{
	const struct samples *s = &w->p->samples;

	fputs(",\n \"values\":{", w->out);
	for (size_t m = 0; m < s->values.n; m++) {
		json_text(w->out, m ? ",\n " : "", profile_text(w->p, w->p->metrics.at[m].name));
		fputs(":[", w->out);
		for (size_t i = 0; i < s->values.at[m].n; i++)
			json_int(w->out, i ? "," : "", s->values.at[m].at[i]);
		putc(']', w->out);
	}
	putc('}', w->out);
}

static void table_write(struct writer *w, const struct table_place *t)
{
	json_text(w->out, t == profile_tables ? "\n" : ",\n", t->table->name);
	fputs(":{", w->out);
	for (size_t c = 0; c < t->table->n_columns; c++)
		if (!t->table->columns[c].inner)
			column_write(w, t, &t->table->columns[c]);
	if (t->table->valued)
		values_write(w);
	putc('}', w->out);
}

static int json_profile_write(const struct export_input *in, FILE *out)
{
	struct writer w = {in->part, out};
	_free_ char *parts = profile_parts(w.p);

	json_int(out, "{\"format\":\"eprof\",\"schema\":", STORE_SCHEMA);
	json_int(out, ",\"started_unix_ns\":", w.p->started_unix_ns);
	json_int(out, ",\"duration_ns\":", w.p->duration_ns);
	fprintf(out, ",\"hz\":%.17g", w.p->hz);
	json_text(out, ",\"parts\":", parts ? parts : "");
	attributes_write(&w, "meta", w.p->meta.at, w.p->meta.n);
	attributes_write(&w, "run", w.p->run.at, w.p->run.n);
	fputs(",\n\"tables\":{", out);
	for (const struct table_place *t = profile_tables; t->table; t++)
		table_write(&w, t);
	fputs("}}\n", out);
	return 0;
}

const struct export json_profile_export = {
	.name = "json-profile",
	.extension = "profile.json",
	.about = "the whole profile, every table",
	.reads = EXPORT_TABLES,
	.write = json_profile_write,
};
