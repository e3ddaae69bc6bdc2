#include "paint/canvas.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "paint/words.h"

#define SANS	     "DejaVu Sans, Liberation Sans, sans-serif"
#define LABEL_LETTER 0.602 /* width of a letter of the label font, per size */
#define LABEL_LEAST  3	   /* letters */
#define LABEL_SHARE  0.78  /* of a row's height */

#define LETTERS_MOST 240 /* of a text on one line */

#define MONO "DejaVu Sans Mono, Liberation Mono, monospace"

const struct canvas_look CANVAS_LIGHT = {
	.paper = {255, 255, 255},
	.ink = {31, 35, 40},
	.grey = {99, 108, 118},
	.rule = {219, 223, 228},
	.bar = {233, 168, 128},
	.base = {176, 190, 208},
	.warn = {176, 58, 20},
	.label = {31, 35, 40},
};
const struct canvas_look CANVAS_DARK = {
	.paper = {24, 26, 31},
	.ink = {229, 232, 237},
	.grey = {152, 160, 170},
	.rule = {62, 67, 75},
	.bar = {196, 122, 84},
	.base = {92, 110, 134},
	.warn = {255, 152, 112},
	.label = {31, 35, 40},
};

static const struct {
	const char *family;
	PangoWeight weight;
	double size;
} fonts[CANVAS_FONTS] = {
	[FONT_TITLE] = {SANS, PANGO_WEIGHT_BOLD, 18},
	[FONT_HEADING] = {SANS, PANGO_WEIGHT_BOLD, 13},
	[FONT_BODY] = {SANS, PANGO_WEIGHT_NORMAL, 9},
	[FONT_BOLD] = {SANS, PANGO_WEIGHT_BOLD, 9},
	[FONT_SMALL] = {SANS, PANGO_WEIGHT_NORMAL, 8},
	[FONT_MONO] = {MONO, PANGO_WEIGHT_NORMAL, 8},
	[FONT_LABEL] = {MONO, PANGO_WEIGHT_NORMAL, 7},
};

/* Letters stand where their widths put them, not on whole pixels: a name has the same length in
 * every format and at every size. */
static void set_exact_widths(PangoLayout *layout)
{
	PangoContext *context = pango_layout_get_context(layout);
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	pango_cairo_context_set_font_options(context, options);
	pango_context_set_round_glyph_positions(context, FALSE);
	pango_layout_context_changed(layout);
	cairo_font_options_destroy(options);
}

const char *canvas_font_family(enum canvas_font font)
{
	return fonts[font].family;
}

int canvas_font_weight(enum canvas_font font)
{
	return fonts[font].weight;
}

double canvas_font_size(enum canvas_font font)
{
	return fonts[font].size;
}

void canvas_init(struct canvas *c, cairo_surface_t *surface, double scale)
{
	c->cr = cairo_create(surface);
	c->scale = scale;
	c->look = &CANVAS_LIGHT;
	c->out = &CANVAS_CAIRO;
	c->to = NULL;
	c->layout = pango_cairo_create_layout(c->cr);
	set_exact_widths(c->layout);
	pango_layout_set_single_paragraph_mode(c->layout, TRUE);
	pango_layout_set_auto_dir(c->layout, FALSE);
	for (size_t i = 0; i < CANVAS_FONTS; i++) {
		PangoFontDescription *d = pango_font_description_new();

		pango_font_description_set_family_static(d, fonts[i].family);
		pango_font_description_set_weight(d, fonts[i].weight);
		pango_font_description_set_absolute_size(d, fonts[i].size * scale * PANGO_SCALE);
		c->fonts[i] = d;
	}
}

void canvas_release(struct canvas *c)
{
	for (size_t i = 0; i < CANVAS_FONTS; i++)
		pango_font_description_free(c->fonts[i]);
	g_object_unref(c->layout);
	cairo_destroy(c->cr);
}

int canvas_status(const struct canvas *c)
{
	cairo_status_t status = cairo_status(c->cr);

	if (status == CAIRO_STATUS_SUCCESS)
		return 0;
	return err(status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : -EIO, "cannot draw: %s",
		   cairo_status_to_string(status));
}

static void set_colour(struct canvas *c, struct rgb rgb)
{
	cairo_set_source_rgb(c->cr, rgb.r / 255.0, rgb.g / 255.0, rgb.b / 255.0);
}

static void cairo_box(struct canvas *c, struct rgb rgb, double x, double y, double w, double h)
{
	set_colour(c, rgb);
	cairo_rectangle(c->cr, x, y, w, h);
	cairo_fill(c->cr);
}

static void cairo_text(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y)
{
	(void)font;
	set_colour(c, rgb);
	cairo_move_to(c->cr, x, y - pango_layout_get_baseline(c->layout) / (double)PANGO_SCALE);
	pango_cairo_show_layout(c->cr, c->layout);
}

static void cairo_stripes(struct canvas *c, const struct canvas_line *lines, size_t n, double width)
{
	const struct rgb ink = FLAME_STRIPE_INK;

	cairo_set_source_rgba(c->cr, ink.r / 255.0, ink.g / 255.0, ink.b / 255.0,
			      FLAME_STRIPE_ALPHA);
	cairo_set_line_width(c->cr, width);
	for (size_t i = 0; i < n; i++) {
		cairo_move_to(c->cr, lines[i].x0, lines[i].y0);
		cairo_line_to(c->cr, lines[i].x1, lines[i].y1);
	}
	cairo_stroke(c->cr);
}

const struct canvas_out CANVAS_CAIRO = {
	.box = cairo_box, .text = cairo_text, .stripes = cairo_stripes};
const struct canvas_out CANVAS_NOTHING = {NULL, NULL, NULL};

void canvas_box(struct canvas *c, struct rgb rgb, double x, double y, double w, double h)
{
	if (c->out->box)
		c->out->box(c, rgb, x, y, w, h);
}

/* @width in units of the surface, negative: none. */
static void set_text(struct canvas *c, enum canvas_font font, double width, bool wrap,
		     const char *text)
{
	pango_layout_set_font_description(c->layout, c->fonts[font]);
	pango_layout_set_width(c->layout, width < 0 ? -1 : (int)(width * PANGO_SCALE));
	pango_layout_set_ellipsize(c->layout, width < 0 || wrap ? PANGO_ELLIPSIZE_NONE
								: PANGO_ELLIPSIZE_MIDDLE);
	pango_layout_set_wrap(c->layout, PANGO_WRAP_WORD_CHAR);
	pango_layout_set_text(c->layout, text, -1);
}

static void show(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y)
{
	if (c->out->text)
		c->out->text(c, font, rgb, x, y);
}

static double text_width(struct canvas *c)
{
	int w, h;

	pango_layout_get_size(c->layout, &w, &h);
	return w / (double)PANGO_SCALE;
}

void canvas_text(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y,
		 const char *text)
{
	set_text(c, font, -1, false, text);
	show(c, font, rgb, x, y);
}

void canvas_text_right(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y,
		       const char *text)
{
	set_text(c, font, -1, false, text);
	show(c, font, rgb, x - text_width(c), y);
}

bool canvas_text_in(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y,
		    double width, const char *text)
{
	/* What pango leaves out is still text of a PDF, to be searched and copied. */
	_free_ char *cut = cut_middle(text, LETTERS_MOST);

	set_text(c, font, width, false, cut);
	show(c, font, rgb, x, y);
	return strcmp(cut, text) != 0 || pango_layout_is_ellipsized(c->layout);
}

double canvas_paragraph(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y,
			double width, const char *text, bool draw)
{
	_free_ char *tied = words_tie(text);
	int w, h;

	set_text(c, font, width, true, tied);
	if (draw)
		show(c, font, rgb, x, y);
	pango_layout_get_size(c->layout, &w, &h);
	return h / (double)PANGO_SCALE;
}

double canvas_width(struct canvas *c, enum canvas_font font, const char *text)
{
	set_text(c, font, -1, false, text);
	return text_width(c);
}

/* The names' font is monospace, so they are cut by letters, as in svg; what is wider for all
 * that (letters of other scripts) is cut again by its width. */
static void plot_label(struct canvas *c, const char *name, const struct plot_rect *r, double size)
{
	const double pad = 0.27 * size, letter = LABEL_LETTER * size, room = r->w - 2 * pad;
	_free_ char *clean = NULL;
	_free_ char *cut = NULL;

	if (room < LABEL_LEAST * letter)
		return;
	clean = str_clean(name, strlen(name));
	cut = cut_label(clean, (size_t)(room / letter));
	canvas_text_in(c, FONT_LABEL, c->look->label, r->x + pad, r->y + r->h / 2 + 0.24 * size,
		       room + pad, cut);
}

/* Lines on which x + y is a multiple of the stripes' distance, within the box: those of neighbours
 * go on in each other. @unit: of a page's pixel. */
static void stripes(struct canvas *c, double x, double y, double w, double h, double unit)
{
	const double step = FLAME_STRIPE * unit;
	VEC(struct canvas_line) lines = {0};

	if (!c->out->stripes || w <= FLAME_STRIPE_LEAST * unit)
		return;
	for (double sum = ceil((x + y) / step) * step; sum < x + w + y + h; sum += step) {
		const double left = fmax(x, sum - y - h), right = fmin(x + w, sum - y);

		vec_push(&lines, ((struct canvas_line){left, sum - left, right, sum - right}));
	}
	c->out->stripes(c, lines.at, lines.n, FLAME_STRIPE_WIDTH * unit);
	vec_release(&lines);
}

/* How large a pixel of the page is, by the size of what is written in boxes there. */
#define LABEL_PIXELS 12

static void plot_box(struct canvas *c, struct rgb colour, bool waits, const struct plot_rect *r,
		     double size)
{
	double gap = r->w > 0.3 * size ? size / 20 : 0;

	canvas_box(c, colour, r->x, r->y, r->w - gap, r->h - size / 12);
	if (waits)
		stripes(c, r->x, r->y, r->w - gap, r->h - size / 12, size / LABEL_PIXELS);
}

/* Low rows have smaller names. */
double canvas_rows(struct canvas *c, double row_height)
{
	const double size = fmin(fonts[FONT_LABEL].size * c->scale, LABEL_SHARE * row_height);

	pango_font_description_set_absolute_size(c->fonts[FONT_LABEL], size * PANGO_SCALE);
	return size;
}

void canvas_named_box(struct canvas *c, struct rgb colour, const char *name,
		      const struct plot_rect *r, double size)
{
	if (!c->out->box)
		return;
	plot_box(c, colour, false, r, size);
	if (name)
		plot_label(c, name, r, size);
}

void canvas_plot(struct canvas *c, const struct plot *p)
{
	double size;

	if (!c->out->box)
		return;
	size = canvas_rows(c, p->row_height);
	vec_each (b, &p->flame.boxes) {
		const struct tree_node *n = &p->flame.tree->nodes.at[b->node];
		struct plot_rect r;

		if (!plot_place(p, b, &r))
			continue;
		plot_box(c, flame_colour(p->flame.tree, n), flame_is_wait(p->flame.tree, n), &r,
			 size);
		plot_label(c, plot_name(p, b), &r, size);
	}
	vec_each (m, &p->flame.merged) {
		_free_ char *name = plot_merged_name(m);
		struct plot_rect r;

		if (!plot_place_merged(p, m, &r))
			continue;
		plot_box(c, FLAME_MERGED, false, &r, size);
		plot_label(c, name, &r, size);
	}
}

void canvas_legend(struct canvas *c, const struct plot *p, double x, double y)
{
	struct legend_entry entries[LEGEND_MAX];
	size_t n = plot_legend(p, entries);
	double size = pango_font_description_get_size(c->fonts[FONT_SMALL]) / (double)PANGO_SCALE;

	for (size_t i = 0; i < n; i++) {
		const double width = 1.4 * size + canvas_width(c, FONT_SMALL, entries[i].label);

		if (x + width > p->x + p->width)
			break;
		canvas_box(c, entries[i].colour, x, y - 0.8 * size, 0.95 * size, 0.95 * size);
		if (entries[i].waits)
			stripes(c, x, y - 0.8 * size, 0.95 * size, 0.95 * size,
				size / LABEL_PIXELS);
		canvas_text(c, FONT_SMALL, c->look->grey, x + 1.4 * size, y, entries[i].label);
		x += width + 1.6 * size;
	}
}

cairo_status_t canvas_write(void *file, const unsigned char *data, unsigned n)
{
	return fwrite(data, 1, n, file) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}
