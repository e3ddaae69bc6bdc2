/* txt: the report for a terminal, a pipe or a text file. */
#include "format/format.h"
#include "format/txt.h"

#include "base/str.h"
#include "paint/path.h"

#define PATH_ITEMS  14
#define SHARE_WIDTH 8
#define LABEL_LEAST 8

static void put_title(struct term *term, const struct doc *doc)
{
	_free_ char *title = term_cut(term, doc->title, term->width ? term->width : (size_t)-1);

	term_put(term, TERM_TITLE, title);
	fputc('\n', term->out);
	term_wrap_begin(term, 0);
	term_wrap_text(term, TERM_DIM, doc->subtitle);
}

static void put_heading(struct term *term, const char *heading, const char *caption)
{
	_free_ char *cut =
		heading ? term_cut(term, heading, term->width ? term->width : (size_t)-1) : NULL;

	fputc('\n', term->out);
	term_wrap_begin(term, 0);
	if (heading) {
		term_put(term, TERM_TITLE, cut);
		term->column = str_width(cut);
	}
	if (caption && caption[0]) {
		if (heading) {
			fputs("  ", term->out);
			term->indent = term->column += 2;
		}
		term_wrap_text(term, TERM_DIM, caption);
	} else {
		fputc('\n', term->out);
	}
}

static void put_facts(struct term *term, const struct doc_block *b)
{
	size_t width = LABEL_LEAST;

	for (size_t i = 0; i < b->facts.n; i++) {
		size_t w = str_width(b->facts.at[i].label);

		width = w > width ? w : width;
	}
	for (size_t i = 0; i < b->facts.n; i++) {
		const struct doc_fact *f = &b->facts.at[i];

		term_put(term, f->warn ? TERM_WARN : TERM_PLAIN, f->warn ? "! " : "  ");
		term_left(term, f->warn ? TERM_WARN : TERM_DIM, width + 2, f->label);
		term_wrap_begin(term, TXT_MARGIN + width + 2);
		term_wrap_text(term, f->warn ? TERM_WARN : TERM_PLAIN, f->value);
	}
}

static enum term_style item_style(const struct tree *t, const struct path_item *item, bool leaf)
{
	const struct tree_node *n = &t->nodes.at[item->node];

	enum frame_class class = frame_class_of_node(t, n);

	return class == FRAME_USER && leaf ? TERM_STRONG : term_frame_style(class);
}

static void put_path(struct term *term, const struct tree *t, const struct doc_path *path)
{
	path_items items = {0};

	path_layout(t, path, PATH_ITEMS, &items);
	term_spaces(term, TXT_MARGIN);
	term_right(term, TERM_STRONG, SHARE_WIDTH - TXT_MARGIN, path->share);
	term_spaces(term, 2);
	term_wrap_begin(term, SHARE_WIDTH + 2);
	for (size_t i = 0; i < items.n; i++) {
		_free_ char *text = path_item_text(t, &items.at[i]);

		bool leaf = i + 1 == items.n;

		term_wrap_with(term, item_style(t, &items.at[i], leaf), text, leaf ? "" : " ›");
	}
	fputc('\n', term->out);
	vec_release(&items);
}

static void put_block(struct term *term, const struct doc_block *b, const struct format_options *o)
{
	switch (b->kind) {
	case BLOCK_TEXT:
		term_spaces(term, TXT_MARGIN);
		term_wrap_begin(term, TXT_MARGIN);
		term_wrap_text(term, TERM_PLAIN, b->text);
		break;
	case BLOCK_FACTS:
		put_facts(term, b);
		break;
	case BLOCK_TABLE:
		txt_table(term, &b->table, o->rows);
		break;
	case BLOCK_FLAME:
	case BLOCK_TREE:
		txt_tree(term, b->tree, format_least(o));
		break;
	case BLOCK_HEAT:
		txt_heat(term, &b->heat);
		break;
	case BLOCK_PATHS:
		for (size_t i = 0; i < b->paths.n; i++)
			put_path(term, b->tree, &b->paths.at[i]);
		break;
	case BLOCK_HEADING:
		break;
	}
}

static int txt_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	struct term term = {.out = out,
			    .colour = options->colour,
			    .ascii = options->ascii,
			    .width = options->width};
	const char *heading = NULL;

	put_title(&term, doc);
	for (size_t i = 0; i < doc->blocks.n; i++) {
		const struct doc_block *b = &doc->blocks.at[i];

		if (b->kind == BLOCK_HEADING) {
			if (heading)
				put_heading(&term, heading, NULL);
			heading = b->text;
			continue;
		}
		if (heading || (b->text && b->text[0] && b->kind != BLOCK_TEXT))
			put_heading(&term, heading, b->kind == BLOCK_TEXT ? NULL : b->text);
		else if (i == 0)
			fputc('\n', out);
		heading = NULL;
		put_block(&term, b, options);
	}
	if (heading)
		put_heading(&term, heading, NULL);
	return 0;
}

const struct format txt_format = {
	.extension = "txt",
	.about = "plain text, as on the terminal",
	.place = DOC_TERMINAL,
	.write = txt_write,
};
