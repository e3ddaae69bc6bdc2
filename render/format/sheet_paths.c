/* Hot paths: each its share and its names as one paragraph. */
#include "format/sheet.h"

#include "base/str.h"
#include "paint/cut.h"
#include "paint/path.h"

#define ITEMS	    24
#define NAME_MOST   80 /* letters */
#define SHARE_WIDTH 48.0
#define SPACE	    8.0

static char *path_text(const struct tree *t, const struct doc_path *path)
{
	path_items items = {0};
	struct str text = {0};

	path_layout(t, path, ITEMS, &items);
	for (size_t i = 0; i < items.n; i++) {
		_free_ char *name = path_item_text(t, &items.at[i]);
		_free_ char *cut = cut_middle(name, NAME_MOST);

		str_addf(&text, "%s%s", i ? " › " : "", cut);
	}
	vec_release(&items);
	str_add(&text, "");
	return str_steal(&text);
}

void sheet_paths(struct sheet *s, const char *heading, const struct doc_block *b)
{
	const double x = SHEET_MARGIN + SHARE_WIDTH + 12, width = sheet_room(s) - SHARE_WIDTH - 12;
	const char *above = heading;

	for (size_t i = 0; i < b->paths.n; i++) {
		const struct doc_path *path = &b->paths.at[i];
		_free_ char *text = path_text(b->tree, path);
		double height = canvas_paragraph(&s->canvas, FONT_MONO, s->canvas.look->ink, x, 0,
						 width, text, false);

		sheet_need(s, height + SPACE + (above ? 30 : 0));
		if (above)
			sheet_heading(s, above, b->text);
		above = NULL;
		canvas_text_right(&s->canvas, FONT_BOLD, s->canvas.look->ink,
				  SHEET_MARGIN + SHARE_WIDTH, s->y + 9, path->share);
		canvas_paragraph(&s->canvas, FONT_MONO, s->canvas.look->ink, x, s->y + 9, width,
				 text, true);
		s->y += height + SPACE;
		s->empty = false;
	}
	s->y += 8;
}
