#include "format/flame_only.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"

static int find_flame(const struct doc *doc, const struct doc_block **out)
{
	size_t others = 0;

	*out = NULL;
	for (size_t i = 0; i < doc->blocks.n; i++) {
		const struct doc_block *b = &doc->blocks.at[i];
		bool first = b->kind == BLOCK_FLAME && !*out;

		*out = first ? b : *out;
		/* A view of what the profile does not have leaves a text that says so. */
		others += !first && b->kind != BLOCK_HEADING && b->kind != BLOCK_TEXT;
	}
	if (others)
		return err(-EINVAL, "a picture shows one flame graph and nothing else: --view "
				    "flame or zone-flame, or write html or pdf");
	if (!*out)
		return err(-EINVAL, "a picture shows one flame graph, and there is none here: see "
				    "--view");
	return 0;
}

int picture_init(struct picture *p, const struct doc *doc, const struct format_options *o,
		 double max_height)
{
	double frame = PICTURE_HEAD + PICTURE_FOOT, room;
	int rc;

	*p = (struct picture){.doc = doc, .width = o->width ? o->width : PICTURE_WIDTH};
	rc = find_flame(doc, &p->block);
	if (rc < 0)
		return rc;
	plot_init(&p->plot, p->block->tree, p->width - 2 * PICTURE_MARGIN, PICTURE_MIN);
	p->plot.x = PICTURE_MARGIN;
	p->plot.y = PICTURE_HEAD;
	p->plot.row_height = PICTURE_ROW;
	room = (max_height - frame) / PICTURE_ROW;
	if (p->plot.rows > room) {
		p->rows_cut = p->plot.rows - (uint32_t)room;
		p->plot.rows = (uint32_t)room;
	}
	p->height = frame + p->plot.rows * (double)PICTURE_ROW;
	return 0;
}

void picture_release(struct picture *p)
{
	plot_release(&p->plot);
}

char *picture_caption(const struct picture *p)
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
