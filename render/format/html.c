/* The HTML report: one page that holds its style, its viewer and its data, and loads nothing. */
#include "format/format.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "format/html_flame.h"
#include "model/frame_class.h"
#include "paint/cut.h"
#include "web/web.h"

/* Rows of a table that stand in the page itself, for those who read it without its script; all
 * of them are in the data. */
#define STATIC_ROWS 30
/* Main columns that a window has room for; of more, those that the table can spare go behind the
 * button. */
#define MAIN_COLUMNS 16
/* Frames at the end of a path that show before it is opened. */
#define PATH_LEAVES 4
/* Letters of a name that show; its title has all of them. The same number is in page.js. */
#define NAME_MOST 120

/* What stands in the data, as the viewer knows it. */
enum tag { TAG_END, TAG_FLAME, TAG_TABLE };

/* What a page is written from. */
struct page {
	const struct doc *doc;
	FILE *out;
	struct pack data; /* flames and tables in the order of the blocks, each after its tag */
	uint32_t n_flames, n_tables;
	/* Of the last flame: where its nodes stand in the data, for the paths that follow it. */
	const struct tree *tree;
	uint32_t *place;
	const char *part; /* under way: see struct doc */
};

static void text_write(FILE *out, const char *text)
{
	_free_ char *clean = str_clean(text ? text : "", text ? strlen(text) : 0);

	for (const char *s = clean; *s; s++) {
		switch (*s) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*s, out);
		}
	}
}

/* <tag attributes>text</tag> */
static void element(FILE *out, const char *tag, const char *attributes, const char *text)
{
	fprintf(out, "<%s%s>", tag, attributes);
	text_write(out, text);
	fprintf(out, "</%s>\n", tag);
}

/* The same with a name for its text, cut in the middle where it is long, and whole in its title. */
static void named_element(FILE *out, const char *tag, const char *attributes, const char *name)
{
	_free_ char *cut = cut_middle(name, NAME_MOST);

	fprintf(out, "<%s%s", tag, attributes);
	if (strcmp(cut, name)) {
		fputs(" title=\"", out);
		text_write(out, name);
		fputs("\"", out);
	}
	fputs(">", out);
	text_write(out, cut);
	fprintf(out, "</%s>", tag);
}

static void heading_write(struct page *pg, const struct doc_block *b)
{
	element(pg->out, "h2", "", b->text);
}

static void paragraph_write(struct page *pg, const struct doc_block *b)
{
	element(pg->out, "p", "", b->text);
}

static void facts_write(struct page *pg, const struct doc_block *b)
{
	fputs("<dl class=\"facts\">\n", pg->out);
	for (size_t i = 0; i < b->facts.n; i++) {
		const struct doc_fact *f = &b->facts.at[i];

		fprintf(pg->out, "<div%s>", f->warn ? " class=\"warn\"" : "");
		element(pg->out, "dt", "", f->label);
		element(pg->out, "dd", "", f->value);
		fputs("</div>\n", pg->out);
	}
	fputs("</dl>\n", pg->out);
}

static const char *const cell_class[] = {
	[CELL_TEXT] = "text",
	[CELL_NUMBER] = "number",
	[CELL_PERCENT] = "number",
	[CELL_BAR] = "bar",
};

/* Columns for those who have the room show by a button; those of them in which nothing stands are
 * not written at all. */
static bool is_extra(const struct doc_table *t, size_t column)
{
	return t->extra_from && column >= t->extra_from;
}

static bool is_written(const struct doc_table *t, size_t column)
{
	size_t rows = doc_table_rows(t);

	if (!is_extra(t, column))
		return true;
	for (size_t r = 0; r < rows; r++) {
		const struct doc_cell *cell = &t->cells.at[r * t->columns.n + column];
		bool text = t->columns.at[column].kind == CELL_TEXT;

		if (text ? cell->text && cell->text[0] : cell->value != 0)
			return true;
	}
	return false;
}

/* Behind the button, though something stands in it. */
static bool is_spared(const struct doc_table *t, size_t column)
{
	size_t over = t->extra_from > MAIN_COLUMNS ? t->extra_from - MAIN_COLUMNS : 0;

	for (size_t i = 0; i < over && i < t->n_spare; i++)
		if (t->spare[i] == column)
			return true;
	return is_extra(t, column);
}

static const char *extra_class(const struct doc_table *t, size_t column)
{
	return is_spared(t, column) ? " extra" : "";
}

static void cell_write(FILE *out, const struct doc_table *t, size_t row, size_t c)
{
	const struct doc_column *column = &t->columns.at[c];
	const struct doc_cell *cell = &t->cells.at[row * t->columns.n + c];
	char class[64];

	snprintf(class, sizeof(class), " class=\"%s%s%s\"", cell_class[column->kind],
		 cell->is_code ? " code" : "", extra_class(t, c));
	if (column->kind == CELL_BAR)
		fprintf(out,
			"<td%s><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
			"aria-hidden=\"true\"><rect width=\"%.2f\" height=\"8\"/></svg></td>",
			class, isfinite(cell->value) ? fmax(0, fmin(100, cell->value)) : 0);
	else
		named_element(out, "td", class, cell->text ? cell->text : "");
}

static void columns_write(FILE *out, const struct doc_table *t)
{
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < t->columns.n; c++) {
		const struct doc_column *column = &t->columns.at[c];

		if (!is_written(t, c))
			continue;
		fprintf(out, "<th scope=\"col\" class=\"%s%s\" title=\"", cell_class[column->kind],
			extra_class(t, c));
		text_write(out, column->help);
		fputs("\">", out);
		text_write(out, column->title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static void rows_write(FILE *out, const struct doc_table *t)
{
	size_t rows = doc_table_rows(t), shown = rows < STATIC_ROWS ? rows : STATIC_ROWS;

	fputs("<tbody>\n", out);
	for (size_t r = 0; r < shown; r++) {
		fputs("<tr>", out);
		for (size_t c = 0; c < t->columns.n; c++)
			if (is_written(t, c))
				cell_write(out, t, r, c);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n", out);
}

static void column_pack(struct pack *out, const struct doc_table *t, size_t c)
{
	enum cell_kind kind = t->columns.at[c].kind;
	const char *key = t->keys.n && t->keys.at[c] ? t->keys.at[c] : "";
	size_t rows = doc_table_rows(t);

	pack_uint(out, kind);
	pack_uint(out, pack_string(out, key));
	pack_uint(out, is_spared(t, c));
	for (size_t r = 0; r < rows; r++) {
		const struct doc_cell *cell = &t->cells.at[r * t->columns.n + c];

		if (kind != CELL_BAR)
			pack_uint(out, pack_string(out, cell->text ? cell->text : ""));
		if (kind != CELL_TEXT)
			pack_float(out, cell->value);
	}
}

/* All rows as data: column by column, each after its kind and name. */
static void table_pack(struct pack *out, const struct doc_table *t)
{
	size_t columns = 0;

	for (size_t c = 0; c < t->columns.n; c++)
		columns += is_written(t, c);
	pack_uint(out, columns);
	pack_uint(out, doc_table_rows(t));
	for (size_t c = 0; c < t->columns.n; c++)
		if (is_written(t, c))
			column_pack(out, t, c);
}

static void table_write(struct page *pg, const struct doc_block *b)
{
	fprintf(pg->out, "<div class=\"table%s\" data-table=\"%u\">\n<table>\n",
		b->table.columns.n > MAIN_COLUMNS ? " many" : "", pg->n_tables++);
	if (b->text)
		element(pg->out, "caption", "", b->text);
	columns_write(pg->out, &b->table);
	rows_write(pg->out, &b->table);
	fputs("</table>\n", pg->out);
	if (doc_table_rows(&b->table) > STATIC_ROWS)
		fprintf(pg->out,
			"<p class=\"more\">%zu more rows are in the data of this page.</p>\n",
			doc_table_rows(&b->table) - STATIC_ROWS);
	fputs("</div>\n", pg->out);
	pack_uint(&pg->data, TAG_TABLE);
	table_pack(&pg->data, &b->table);
}

static void flame_write(struct page *pg, const struct doc_block *b)
{
	fprintf(pg->out, "<section class=\"flame\" data-flame=\"%u\" aria-label=\"",
		pg->n_flames++);
	text_write(pg->out, b->text && b->text[0] ? b->text : "Flame graph");
	fputs("\">\n", pg->out);
	if (b->text && b->text[0])
		element(pg->out, "p", " class=\"caption\"", b->text);
	fputs("</section>\n", pg->out);
	free(pg->place);
	pg->tree = b->tree;
	pg->place = mem_zalloc(b->tree->nodes.n, sizeof(*pg->place));
	pack_uint(&pg->data, TAG_FLAME);
	html_flame_pack(b->tree, &pg->data, pg->place);
}

static void frame_write(FILE *out, const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.at[node];
	char attributes[32];

	snprintf(attributes, sizeof(attributes), " class=\"k%u\"", frame_class_of_node(t, n));
	named_element(out, "li", attributes, profile_text(t->profile, n->name));
	fputs("\n", out);
}

/* The line that stands for a path until it is opened: its share and the end of it. */
static void path_summary(FILE *out, const struct doc_path *path, const struct tree *t)
{
	size_t n = path->nodes.n, first = n > PATH_LEAVES ? n - PATH_LEAVES : 0;

	fputs("<summary>", out);
	element(out, "b", "", path->share);
	fputs("<span class=\"leaves\">", out);
	if (first)
		fputs("… › ", out);
	for (size_t i = first; i < n; i++) {
		named_element(out, "span", "",
			      profile_text(t->profile, t->nodes.at[path->nodes.at[i]].name));
		fputs(i + 1 < n ? " › " : "", out);
	}
	fputs("</span></summary>\n", out);
}

static void path_write(struct page *pg, const struct doc_path *path, const struct tree *t)
{
	fputs("<li><details", pg->out);
	if (t == pg->tree && path->nodes.n)
		fprintf(pg->out, " data-in=\"%u\" data-node=\"%u\"", pg->n_flames - 1,
			pg->place[path->nodes.at[path->nodes.n - 1]]);
	fputs(">", pg->out);
	path_summary(pg->out, path, t);
	fputs("<ol class=\"frames\">\n", pg->out);
	for (size_t i = 0; i < path->nodes.n; i++)
		frame_write(pg->out, t, path->nodes.at[i]);
	fputs("</ol></details></li>\n", pg->out);
}

static void paths_write(struct page *pg, const struct doc_block *b)
{
	if (b->text && b->text[0])
		element(pg->out, "p", " class=\"caption\"", b->text);
	fputs("<ol class=\"paths\">\n", pg->out);
	for (size_t i = 0; i < b->paths.n; i++)
		path_write(pg, &b->paths.at[i], b->tree);
	fputs("</ol>\n", pg->out);
}

/* What comes next is of @part. Parts that follow each other are those that the page's script shows
 * one at a time. */
static void part_turn(struct page *pg, const char *part)
{
	if (pg->part == part)
		return;
	if (pg->part)
		fputs("</section>\n", pg->out);
	pg->part = part;
	if (!part)
		return;
	fputs("<section class=\"part\" data-part=\"", pg->out);
	text_write(pg->out, part);
	fputs("\" aria-label=\"", pg->out);
	text_write(pg->out, part);
	fputs("\">\n", pg->out);
}

static void body_write(struct page *pg)
{
	static void (*const write[])(struct page *, const struct doc_block *) = {
		[BLOCK_HEADING] = heading_write, [BLOCK_TEXT] = paragraph_write,
		[BLOCK_FACTS] = facts_write,	 [BLOCK_TABLE] = table_write,
		[BLOCK_FLAME] = flame_write,	 [BLOCK_PATHS] = paths_write,
	};

	for (size_t i = 0; i < pg->doc->blocks.n; i++) {
		part_turn(pg, pg->doc->blocks.at[i].part);
		write[pg->doc->blocks.at[i].kind](pg, &pg->doc->blocks.at[i]);
	}
	part_turn(pg, NULL);
}

static void title_write(struct page *pg)
{
	text_write(pg->out, pg->doc->title);
}

static void subtitle_write(struct page *pg)
{
	text_write(pg->out, pg->doc->subtitle);
}

static void style_write(struct page *pg)
{
	fwrite(web_page_css, 1, (size_t)(web_page_css_end - web_page_css), pg->out);
}

static void script_write(struct page *pg)
{
	fwrite(web_page_js, 1, (size_t)(web_page_js_end - web_page_js), pg->out);
}

/* What the page's content security policy lets run: exactly these bytes. */
static void hash_write(FILE *out, const char *from, const char *to)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	uint8_t digest[32];
	gsize n = sizeof(digest);

	g_checksum_update(sum, (const guchar *)from, to - from);
	g_checksum_get_digest(sum, digest, &n);
	g_checksum_free(sum);
	fputs("sha256-", out);
	pack_base64(digest, n, out);
}

static void style_hash_write(struct page *pg)
{
	hash_write(pg->out, web_page_css, web_page_css_end);
}

static void script_hash_write(struct page *pg)
{
	hash_write(pg->out, web_page_js, web_page_js_end);
}

/* What stands for {{name}} in page.html. The data come last: what else writes adds to them. */
static const struct {
	const char *name;
	void (*write)(struct page *);
} slots[] = {
	{"title", title_write},	  {"subtitle", subtitle_write},
	{"style", style_write},	  {"style-hash", style_hash_write},
	{"script", script_write}, {"script-hash", script_hash_write},
	{"body", body_write},
};

static int slot_write(struct page *pg, const char *name, size_t n)
{
	if (n == strlen("data") && !memcmp(name, "data", n)) {
		pack_uint(&pg->data, TAG_END);
		return pack_write(&pg->data, pg->out);
	}
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		if (n == strlen(slots[i].name) && !memcmp(name, slots[i].name, n))
			slots[i].write(pg);
	return 0;
}

static int page_write(struct page *pg)
{
	const char *at = web_page_html;
	int rc = 0;

	while (!rc) {
		const char *open = strstr(at, "{{"), *close = open ? strstr(open, "}}") : NULL;

		if (!close)
			break;
		fwrite(at, 1, (size_t)(open - at), pg->out);
		rc = slot_write(pg, open + 2, (size_t)(close - open - 2));
		at = close + 2;
	}
	fputs(at, pg->out);
	return rc;
}

static int html_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	struct page pg = {.doc = doc, .out = out};
	int rc;

	(void)options;
	rc = page_write(&pg);
	pack_release(&pg.data);
	free(pg.place);
	return rc;
}

const struct format html_format = {
	.extension = "html",
	.about = "one page with flame graph, search and tables; loads nothing",
	.place = DOC_PAGE,
	.write = html_write,
};
