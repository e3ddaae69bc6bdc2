/*
 * json: a report for other programs, all of it but its flame graphs and call trees:
 *
 *	{"schema_version":1,"title":"sqlite3 …","subtitle":"cpu-clock at 999 Hz · …",
 *	 "sections":[
 *	  {"heading":"Top functions","text":[],
 *	   "facts":[{"label":"Samples","value":"1,850 kept of 1,850 taken","warning":false}],
 *	   "tables":[{"caption":"100 % = 1.85 s of time on CPU",
 *	     "columns":[{"key":"value_ns","title":"Time","unit":"ns"},
 *	                {"key":"function","title":"Function","unit":null}],
 *	     "rows":[{"value_ns":368000000,"function":"sqlite3VdbeExec"}]}],
 *	   "paths":[{"share_percent":19.9,"frames":["sqlite3","sqlite3_step"]}],
 *	   "heatmaps":[{"caption":"…","from_ns":0,"column_ns":1000000000,"row_ns":20000000,
 *	     "columns":[[0,2,1]]}]}]}
 *
 * What stands before the first heading is a section whose heading is null. Tables have the columns
 * of csv by the same keys, with every row; a number that there is not is null. A warning is what
 * other reports mark: a loss, a contradiction.
 */
#include "format/format.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "base/json.h"

#define SCHEMA 1

/* The blocks from one heading up to the next. */
struct section {
	const char *heading; /* or NULL */
	const struct doc_block *from, *end;
};

/* An empty text is none. */
static void put_some(FILE *out, const char *before, const char *text)
{
	json_text_or_null(out, before, text && text[0] ? text : NULL);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* The unit is the end of a column's key: "value_ns", "self_percent", "live_bytes". */
static const char *unit_of(const struct doc_column *c)
{
	static const struct {
		const char *end, *unit;
	} units[] = {{"ns", "ns"}, {"percent", "percent"}, {"perc", "percent"}, {"bytes", "bytes"}};
	const char *end = strrchr(c->key, '_');

	for (size_t i = 0; end && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end + 1, units[i].end))
			return units[i].unit;
	return NULL;
}

static void put_columns(FILE *out, const struct doc_table *t)
{
	const char *before = "{\"key\":";

	fputs("\"columns\":[", out);
	vec_each (c, &t->columns) {
		if (cell_is_drawn(c->kind))
			continue;
		json_text(out, before, c->key);
		json_text(out, ",\"title\":", c->title);
		put_some(out, ",\"unit\":", unit_of(c));
		put_some(out, ",\"help\":", c->help);
		putc('}', out);
		before = ",\n       {\"key\":";
	}
	putc(']', out);
}

/* Whether it is a whole number as JSON has it: more digits than a double can hold, perhaps. */
static bool is_whole(const char *raw)
{
	const char *digits = raw + (*raw == '-');
	const size_t n = strspn(digits, "0123456789");

	return n && !digits[n] && (n == 1 || digits[0] != '0');
}

static void put_cell(FILE *out, const struct doc_column *column, const struct doc_cell *cell)
{
	if (column->kind == CELL_TEXT)
		json_text(out, ":", cell->raw ? cell->raw : cell->text ? cell->text : "");
	else if (cell->raw && is_whole(cell->raw))
		fprintf(out, ":%s", cell->raw);
	else if (cell->raw)
		json_text(out, ":", cell->raw);
	else
		json_double(out, ":", cell->value);
}

static void put_row(FILE *out, const struct doc_table *t, size_t row)
{
	const char *before = "{";

	for (size_t i = 0; i < t->columns.n; i++) {
		const struct doc_column *c = &t->columns.at[i];

		if (cell_is_drawn(c->kind))
			continue;
		json_text(out, before, c->key);
		put_cell(out, c, &t->cells.at[row * t->columns.n + i]);
		before = ",";
	}
	putc('}', out);
}

static void put_table(FILE *out, const struct doc_block *b)
{
	put_some(out, "{\"caption\":", b->text);
	fputs(",\n      ", out);
	put_columns(out, &b->table);
	fputs(",\n      \"rows\":[", out);
	for (size_t row = 0; row < doc_table_rows(&b->table); row++) {
		fputs(row ? ",\n       " : "\n       ", out);
		put_row(out, &b->table, row);
	}
	fputs("]}", out);
}

/* --- all else --------------------------------------------------------------------------------- */

static void put_text(FILE *out, const struct doc_block *b)
{
	json_text(out, "", b->text);
}

static void put_facts(FILE *out, const struct doc_block *b)
{
	const char *before = "{\"label\":";

	vec_each (f, &b->facts) {
		json_text(out, before, f->label);
		json_text(out, ",\"value\":", f->value);
		json_bool(out, ",\"warning\":", f->warn);
		putc('}', out);
		before = ",\n     {\"label\":";
	}
}

static void put_paths(FILE *out, const struct doc_block *b)
{
	const struct tree *t = b->tree;

	for (size_t i = 0; i < b->paths.n; i++) {
		const struct doc_path *path = &b->paths.at[i];

		json_double(out, i ? ",\n     {\"share_percent\":" : "{\"share_percent\":",
			    path->percent);
		fputs(",\"frames\":[", out);
		for (size_t k = 0; k < path->nodes.n; k++)
			json_text(out, k ? "," : "",
				  profile_text(t->profile, t->nodes.at[path->nodes.at[k]].name));
		fputs("]}", out);
	}
}

static void put_heat(FILE *out, const struct doc_block *b)
{
	const struct doc_heat *h = &b->heat;

	put_some(out, "{\"caption\":", b->text);
	json_int(out, ",\"from_ns\":", h->from_ns);
	json_int(out, ",\"column_ns\":", h->column_ns);
	json_int(out, ",\"row_ns\":", h->row_ns);
	fputs(",\"columns\":[", out);
	for (uint32_t c = 0; c < h->columns; c++) {
		for (uint32_t r = 0; r < h->rows; r++)
			json_int(out,
				 r   ? ","
				 : c ? ",["
				     : "[",
				 (int64_t)h->counts.at[(size_t)c * h->rows + r]);
		putc(']', out);
	}
	fputs("]}", out);
}

static const struct {
	enum block_kind kind;
	const char *name; /* of the list in each section */
	void (*put)(FILE *, const struct doc_block *);
} lists[] = {
	{BLOCK_TEXT, "text", put_text},	    {BLOCK_FACTS, "facts", put_facts},
	{BLOCK_TABLE, "tables", put_table}, {BLOCK_PATHS, "paths", put_paths},
	{BLOCK_HEAT, "heatmaps", put_heat},
};
#define LISTS (sizeof(lists) / sizeof(*lists))

/* Without lists: of facts and paths each is an item of its own. */
static bool is_empty(const struct doc_block *b)
{
	return (b->kind == BLOCK_FACTS && !b->facts.n) || (b->kind == BLOCK_PATHS && !b->paths.n);
}

static void put_section(FILE *out, const struct section *s)
{
	put_some(out, "  {\"heading\":", s->heading);
	for (size_t i = 0; i < LISTS; i++) {
		bool any = false;

		fprintf(out, ",\n   \"%s\":[", lists[i].name);
		for (const struct doc_block *b = s->from; b < s->end; b++) {
			if (b->kind != lists[i].kind || is_empty(b))
				continue;
			fputs(any ? ",\n     " : "", out);
			lists[i].put(out, b);
			any = true;
		}
		putc(']', out);
	}
	putc('}', out);
}

static bool is_listed(const struct doc *doc)
{
	vec_each (b, &doc->blocks)
		for (size_t i = 0; i < LISTS; i++)
			if (b->kind == lists[i].kind)
				return true;
	return false;
}

static int json_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	const struct doc_block *b = doc->blocks.at, *end = b + doc->blocks.n;

	(void)options;
	if (!is_listed(doc))
		return err(-EINVAL, "a report as json holds facts, tables and paths, and there are "
				    "none here; call trees: eprof-render export --to json");
	json_int(out, "{\"schema_version\":", SCHEMA);
	json_text(out, ",\"title\":", doc->title);
	json_text(out, ",\"subtitle\":", doc->subtitle);
	fputs(",\n \"sections\":[\n", out);
	for (const char *before = ""; b < end; before = ",\n") {
		struct section s = {.heading = b->kind == BLOCK_HEADING ? b->text : NULL};

		s.from = s.end = b + (s.heading != NULL);
		while (s.end < end && s.end->kind != BLOCK_HEADING)
			s.end++;
		fputs(before, out);
		put_section(out, &s);
		b = s.end;
	}
	fputs("]}\n", out);
	return 0;
}

const struct format json_format = {
	.extension = "json",
	.about = "all facts and tables, with plain numbers, for other programs",
	.medium = DOC_TERMINAL,
	.all_rows = true,
	.write = json_write,
};
