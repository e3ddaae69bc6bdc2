#include "format/picture.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "format/flame_only.h"

#define WORDS_CUT "cut off here: more height, --rows, or pdf shows the rest"

static void begin(struct sheet *s, const struct doc *doc, const struct format_options *o,
		  cairo_surface_t *surface)
{
	const double width = o->width ? o->width : PICTURE_WIDTH;

	sheet_init(s, doc, width / PICTURE_SCALE, 0);
	s->options = o;
	canvas_init(&s->canvas, surface, 1);
	s->canvas.look = o->dark ? &CANVAS_DARK : &CANVAS_LIGHT;
}

static void end(struct sheet *s)
{
	canvas_release(&s->canvas);
	sheet_release(s);
}

/* A view of what the profile does not have leaves texts that say so. */
static bool has_drawing(const struct doc *doc)
{
	for (size_t i = 0; i < doc->blocks.n; i++)
		if (doc->blocks.at[i].kind != BLOCK_HEADING && doc->blocks.at[i].kind != BLOCK_TEXT)
			return true;
	return false;
}

int picture_measure(const struct doc *doc, const struct format_options *o, double most,
		    struct picture *out)
{
	cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	struct sheet s;
	double height;

	if (!has_drawing(doc)) {
		cairo_surface_destroy(nothing);
		return err(-EINVAL, "a picture shows a flame graph or another view, and there is "
				    "nothing to draw here: see --view");
	}
	begin(&s, doc, o, nothing);
	sheet_run(&s, false);
	height = o->height ? o->height : ceil((s.y + SHEET_MARGIN / 2) * PICTURE_SCALE);
	end(&s);
	cairo_surface_destroy(nothing);
	if (height > most)
		return err(-E2BIG,
			   "the picture would be %.0f pixels high, and %.0f are possible: choose a "
			   "--view, fewer --rows or a --height, or write pdf or html",
			   height, most);
	*out = (struct picture){o->width ? o->width : PICTURE_WIDTH, (unsigned)height};
	return 0;
}

static void put_cut(struct sheet *s, double height)
{
	const struct canvas_look *look = s->canvas.look;

	canvas_box(&s->canvas, look->paper, 0, height - 20, s->width, 20);
	canvas_box(&s->canvas, look->rule, SHEET_MARGIN, height - 20, sheet_room(s), 0.7);
	canvas_text(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN, height - 7, WORDS_CUT);
}

int picture_draw(const struct doc *doc, const struct format_options *o, const struct picture *p,
		 cairo_surface_t *surface, const struct canvas_out *out, void *to)
{
	const double height = p->height / PICTURE_SCALE;
	struct sheet s;
	int rc;

	begin(&s, doc, o, surface);
	s.canvas.out = out;
	s.canvas.to = to;
	canvas_box(&s.canvas, s.canvas.look->paper, 0, 0, s.width, height);
	sheet_run(&s, true);
	if (s.y > height)
		put_cut(&s, height);
	rc = canvas_status(&s.canvas);
	end(&s);
	return rc;
}
