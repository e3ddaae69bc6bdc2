#include "format/picture.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "base/str.h"

#define WORDS_CUT "cut off here: more height, --rows, or pdf shows the rest"
const struct doc_block *flame_alone(const struct doc *doc)
{
	const struct doc_block *flame = NULL;
	size_t others = 0;

	vec_each (b, &doc->blocks) {
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
