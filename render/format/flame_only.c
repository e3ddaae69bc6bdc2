#include "format/flame_only.h"

#include "base/str.h"

const struct doc_block *flame_alone(const struct doc *doc)
{
	const struct doc_block *flame = NULL;
	size_t others = 0;

	for (size_t i = 0; i < doc->blocks.n; i++) {
		const struct doc_block *b = &doc->blocks.at[i];
		bool first = b->kind == BLOCK_FLAME && !flame;

		flame = first ? b : flame;
		/* A view of what the profile does not have leaves a text that says so. */
		others += !first && b->kind != BLOCK_HEADING && b->kind != BLOCK_TEXT;
	}
	return others ? NULL : flame;
}

/* Rows as high as --height lets them be, or as many as are possible. */
static void fit_rows(struct flame_picture *p, const struct format_options *o, double max_height)
{
	const double frame = PICTURE_HEAD + PICTURE_FOOT;
	double room = (o->height ? o->height : max_height) - frame;
	uint32_t fit;

	p->plot.row_height = PICTURE_ROW;
	if (o->height && p->plot.rows * PICTURE_ROW > room)
		p->plot.row_height = room / p->plot.rows;
	if (p->plot.row_height < PICTURE_ROW_LEAST)
		p->plot.row_height = PICTURE_ROW_LEAST;
	fit = room < p->plot.row_height ? 1 : (uint32_t)(room / p->plot.row_height + 0.001);
	if (p->plot.rows > fit) {
		p->rows_cut = p->plot.rows - fit;
		p->plot.rows = fit;
	}
	p->height = o->height ? o->height : frame + p->plot.rows * p->plot.row_height;
}

void flame_picture_init(struct flame_picture *p, const struct doc *doc,
			const struct doc_block *block, const struct format_options *o,
			double max_height)
{
	*p = (struct flame_picture){.doc = doc,
				    .block = block,
				    .dark = o->dark,
				    .width = o->width ? o->width : PICTURE_WIDTH};
	plot_init(&p->plot, block->tree, p->width - 2 * PICTURE_MARGIN, PICTURE_MIN);
	fit_rows(p, o, max_height);
	p->plot.x = PICTURE_MARGIN;
	/* The root stands at the foot. */
	p->plot.y = p->height - PICTURE_FOOT - p->plot.rows * p->plot.row_height;
}

void flame_picture_release(struct flame_picture *p)
{
	plot_release(&p->plot);
}

char *flame_picture_caption(const struct flame_picture *p)
{
	_free_ char *note = plot_note(&p->plot, PICTURE_MIN, "px");
	struct str text = {0};

	str_add(&text, p->block->text);
	if (note)
		str_addf(&text, " · %s", note);
	if (p->rows_cut)
		str_addf(&text, " · %u rows at the top are cut off: write svg or html",
			 p->rows_cut);
	return str_steal(&text);
}
