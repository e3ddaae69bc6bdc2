/*
 * csv: one table of the profile, by --table, with a line of names: every column that the file has
 * (model/tables.def), texts as such, numbers in full. A column "row" comes first, by which other
 * tables refer to it; "samples" has a column for each metric behind the others.
 */
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "base/str.h"
#include "export/cells.h"
#include "paint/csv.h"
#include "paint/json_write.h"

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

/* "csv: name a table with --table: modules, functions, …" */
static int refuse(const struct profile *p, const char *table)
{
	struct str names = {0};

	for (const struct table_place *t = profile_tables; t->table; t++)
		if (profile_has(p, t->table->part))
			str_addf(&names, "%s%s", names.n ? ", " : "", t->table->name);
	if (table)
		err(-EINVAL, "csv: the profile has no table '%s': it has %s", table,
		    str_text(&names));
	else
		err(-EINVAL, "csv: name a table with --table: %s", str_text(&names));
	str_release(&names);
	return -EINVAL;
}

static int csv_write(const struct export_input *in, FILE *out)
{
	const struct table_place *t = profile_tables;

	while (t->table && !(in->table && !strcmp(t->table->name, in->table)))
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
