#include "doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "base/units.h"

/* Columns: what is longer fills the page and nobody reads it; tables and exports have the names
 * whole. */
#define LONGEST_HEADING 240
#define LONGEST_TEXT	2000

/* Names come from targets, so every text is made one line of well-formed UTF-8 here, once for
 * all formats. */
static char *clean_vprintf(const char *fmt, va_list args)
{
	_free_ char *raw = mem_vprintf(fmt, args);

	return str_clean(raw, strlen(raw));
}

/* @text itself, or a shorter one in its place. */
static char *bounded(char *text, size_t columns)
{
	char *cut;

	if (strlen(text) <= columns)
		return text;
	cut = str_cut_middle(text, columns, "…");
	free(text);
	return cut;
}

static struct doc_block *doc_block(struct doc *doc, enum block_kind kind)
{
	struct doc_block *b = vec_add(&doc->blocks);

	b->kind = kind;
	b->part = doc->part;
	b->front = doc->front;
	return b;
}

void doc_init(struct doc *doc, const struct profile *p, const char *title, const char *subtitle)
{
	*doc = (struct doc){.profile = p};
	doc->title = bounded(str_clean(title, strlen(title)), LONGEST_TEXT);
	doc->subtitle = str_clean(subtitle, strlen(subtitle));
}

void doc_clear(struct doc_table *t)
{
	vec_each (cell, &t->cells) {
		free(cell->text);
		free(cell->raw);
	}
	t->cells.n = 0;
}

static void table_release(struct doc_table *t)
{
	doc_clear(t);
	vec_release(&t->cells);
	vec_release(&t->columns);
	if (t->rest.release)
		t->rest.release(t->rest.of);
}

static void block_release(struct doc_block *b)
{
	free(b->text);
	table_release(&b->table);
	for (size_t i = 0; i < b->facts.n; i++) {
		free(b->facts.at[i].label);
		free(b->facts.at[i].value);
	}
	vec_release(&b->facts);
	for (size_t i = 0; i < b->paths.n; i++) {
		free(b->paths.at[i].share);
		vec_release(&b->paths.at[i].nodes);
	}
	vec_release(&b->paths);
	vec_release(&b->heat.counts);
	call_chart_release(&b->chart);
}

void doc_release(struct doc *doc)
{
	for (size_t i = 0; i < doc->blocks.n; i++)
		block_release(&doc->blocks.at[i]);
	vec_release(&doc->blocks);
	free(doc->title);
	free(doc->subtitle);
	*doc = (struct doc){0};
}

void doc_heading(struct doc *doc, const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = clean_vprintf(fmt, args);
	va_end(args);
	doc_block(doc, BLOCK_HEADING)->text =
		bounded(doc->part ? mem_printf("%s: %s", text, doc->part) : mem_strdup(text),
			LONGEST_HEADING);
}

void doc_text(struct doc *doc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	doc_block(doc, BLOCK_TEXT)->text = bounded(clean_vprintf(fmt, args), LONGEST_TEXT);
	va_end(args);
}

struct doc_block *doc_facts(struct doc *doc)
{
	return doc_block(doc, BLOCK_FACTS);
}

void doc_drop_empty(struct doc *doc)
{
	struct doc_block *last = &doc->blocks.at[doc->blocks.n - 1];

	if (last->facts.n)
		return;
	block_release(last);
	doc->blocks.n--;
}

void doc_fact(struct doc_block *b, bool warn, const char *label, const char *fmt, ...)
{
	struct doc_fact *fact = vec_add(&b->facts);
	va_list args;

	fact->warn = warn;
	fact->label = str_clean(label, strlen(label));
	va_start(args, fmt);
	fact->value = bounded(clean_vprintf(fmt, args), LONGEST_TEXT);
	va_end(args);
}

struct doc_table *doc_table(struct doc *doc, const char *caption, const struct doc_column *columns,
			    size_t n_columns)
{
	struct doc_block *b = doc_block(doc, BLOCK_TABLE);

	b->text = str_clean(caption, strlen(caption));
	doc_add_columns(&b->table, columns, n_columns);
	return &b->table;
}

void doc_add_columns(struct doc_table *t, const struct doc_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(&t->columns, columns[i]);
}

/* Of a column's values in the last @n rows. */
static double sum_of_last(const struct doc_table *t, size_t column, size_t n)
{
	const size_t rows = doc_table_rows(t);
	double sum = 0;

	for (size_t row = rows - n; row < rows; row++)
		sum += t->cells.at[row * t->columns.n + column].value;
	return sum;
}

char *doc_more(const struct doc_table *t, size_t left)
{
	const char *what = t->more ? t->more : "rows";
	const size_t n = strlen(what);
	const bool one = left == 1 && n > 1 && what[n - 1] == 's';
	struct str s = {0};

	str_addf(&s, "… %s more %.*s", count_text((int64_t)left), (int)(one ? n - 1 : n), what);
	for (size_t i = 0; i < t->n_sums; i++)
		str_addf(&s, "%s%s%s", i ? ", " : ": ",
			 value_text(sum_of_last(t, t->sums[i].column, left), t->sums[i].unit),
			 t->sums[i].noun);
	return str_steal(&s);
}

void doc_sum(struct doc_table *t, size_t i, const char *unit, const char *noun)
{
	if (t->n_sums < DOC_SUMS_MOST)
		t->sums[t->n_sums++] = (struct doc_sum){(uint8_t)i, unit, noun};
}

void doc_limit(struct doc_table *t, size_t terminal, size_t printed, const char *more)
{
	t->terminal_rows = terminal;
	t->printed_rows = printed;
	t->more = more;
}

void doc_spare(struct doc_table *t, size_t i)
{
	if (t->n_spare < DOC_SPARE_MOST)
		t->spare[t->n_spare++] = (uint8_t)i;
}

void doc_cell(struct doc_table *t, double value, const char *fmt, ...)
{
	struct doc_cell *cell = vec_add(&t->cells);
	va_list args;

	cell->value = value;
	va_start(args, fmt);
	cell->text = clean_vprintf(fmt, args);
	va_end(args);
}

void doc_cell_code(struct doc_table *t, enum frame_class code, const char *name)
{
	struct doc_cell *cell = vec_add(&t->cells);

	cell->text = str_clean(name, strlen(name));
	cell->code = (uint8_t)code;
	cell->is_code = true;
}

void doc_raw(struct doc_table *t, const char *raw)
{
	struct doc_cell *cell = &t->cells.at[t->cells.n - 1];

	free(cell->raw);
	cell->raw = str_clean(raw, strlen(raw));
}

void doc_bar(struct doc_table *t, double percent)
{
	struct doc_cell *cell = vec_add(&t->cells);

	cell->value = percent;
}

/* Eight heights; what is there at all shows. */
void doc_spark(struct doc_table *t, const double *values, size_t n)
{
	static const char *const signs[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	struct doc_cell *cell = vec_add(&t->cells);
	struct str text = {0};
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, values[i]);
	for (size_t i = 0; i < n; i++) {
		int height = values[i] > 0 ? (int)fmax(1, round(8 * values[i] / most)) : 0;

		str_add(&text, signs[height]);
	}
	cell->value = most;
	cell->text = mem_strdup(str_text(&text));
	str_release(&text);
}

static struct doc_block *tree_block(struct doc *doc, enum block_kind kind, const char *caption,
				    const struct tree *tree)
{
	struct doc_block *b = doc_block(doc, kind);

	b->text = str_clean(caption, strlen(caption));
	b->tree = tree;
	return b;
}

void doc_flame(struct doc *doc, const char *caption, const struct tree *tree)
{
	tree_block(doc, BLOCK_FLAME, caption, tree);
}

void doc_tree(struct doc *doc, const char *caption, const struct tree *tree)
{
	tree_block(doc, BLOCK_TREE, caption, tree);
}

struct doc_block *doc_paths(struct doc *doc, const char *caption, const struct tree *tree)
{
	return tree_block(doc, BLOCK_PATHS, caption, tree);
}

struct doc_heat *doc_heat(struct doc *doc, const char *caption, uint32_t columns, uint32_t rows)
{
	struct doc_block *b = doc_block(doc, BLOCK_HEAT);

	b->text = str_clean(caption, strlen(caption));
	b->heat.columns = columns;
	b->heat.rows = rows;
	for (size_t i = 0; i < (size_t)columns * rows; i++)
		vec_push(&b->heat.counts, 0);
	return &b->heat;
}

struct call_chart *doc_chart(struct doc *doc)
{
	struct doc_block *b = doc_block(doc, BLOCK_CHART);

	b->text = mem_strdup("");
	return &b->chart;
}

static void to_ascii(char **text)
{
	char *plain = *text ? ascii_text(*text) : NULL;

	free(*text);
	*text = plain;
}

static void block_to_ascii(struct doc_block *b)
{
	to_ascii(&b->text);
	for (size_t i = 0; i < b->table.cells.n; i++)
		to_ascii(&b->table.cells.at[i].text);
	for (size_t i = 0; i < b->facts.n; i++) {
		to_ascii(&b->facts.at[i].label);
		to_ascii(&b->facts.at[i].value);
	}
	for (size_t i = 0; i < b->paths.n; i++)
		to_ascii(&b->paths.at[i].share);
}

void doc_to_ascii(struct doc *doc)
{
	to_ascii(&doc->title);
	to_ascii(&doc->subtitle);
	for (size_t i = 0; i < doc->blocks.n; i++)
		block_to_ascii(&doc->blocks.at[i]);
}
