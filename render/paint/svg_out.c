#include "paint/svg_out.h"

#include <string.h>

#include "base/str.h"
#include "paint/words.h"
#include "paint/xml.h"

void svg_out_style(FILE *out)
{
	for (int i = 0; i < CANVAS_FONTS; i++)
		fprintf(out, ".f%d{font:%d %gpx %s}", i, canvas_font_weight((enum canvas_font)i),
			canvas_font_size((enum canvas_font)i),
			canvas_font_family((enum canvas_font)i));
	fputs("text{white-space:pre}", out);
}

static void put_colour(FILE *out, struct rgb c)
{
	fprintf(out, " fill=\"#%02x%02x%02x\"", c.r, c.g, c.b);
}

static void svg_box(struct canvas *c, struct rgb rgb, double x, double y, double w, double h)
{
	FILE *out = c->to;

	if (w <= 0 || h <= 0)
		return;
	fprintf(out, "<rect x=\"%.7g\" y=\"%.7g\" width=\"%.5g\" height=\"%.5g\"", x, y, w, h);
	put_colour(out, rgb);
	fputs("/>\n", out);
}

static void svg_stripes(struct canvas *c, const struct canvas_line *lines, size_t n, double width)
{
	const struct rgb ink = FLAME_STRIPE_INK;
	FILE *out = c->to;

	fputs("<path d=\"", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "M%.5g %.5gL%.5g %.5g", lines[i].x0, lines[i].y0, lines[i].x1,
			lines[i].y1);
	fprintf(out, "\" stroke=\"#%02x%02x%02x\" stroke-opacity=\"%g\" stroke-width=\"%.3g\"/>\n",
		ink.r, ink.g, ink.b, FLAME_STRIPE_ALPHA, width);
}

/* pango tells that it cut, and not what is left. */
static char *cut_line(PangoLayout *layout, const char *text, double width)
{
	const double room = pango_layout_get_width(layout) / (double)PANGO_SCALE;

	if (!pango_layout_is_ellipsized(layout) || width <= 0)
		return mem_strdup(text);
	return cut_middle(text, (size_t)((double)str_width(text) * room / width));
}

static double natural_width(PangoLayout *layout)
{
	PangoLayout *whole = pango_layout_copy(layout);
	int w;

	pango_layout_set_width(whole, -1);
	pango_layout_get_size(whole, &w, NULL);
	g_object_unref(whole);
	return w / (double)PANGO_SCALE;
}

static void put_line(FILE *out, enum canvas_font font, struct rgb rgb, double x, double y,
		     const char *text)
{
	fprintf(out, "<text class=\"f%d\" x=\"%.7g\" y=\"%.7g\"", font, x, y);
	put_colour(out, rgb);
	fputs(">", out);
	xml_text(out, text);
	fputs("</text>\n", out);
}

static void svg_text(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y)
{
	const char *text = pango_layout_get_text(c->layout);
	const double first = pango_layout_get_baseline(c->layout);
	PangoLayoutIter *line;

	if (pango_layout_is_ellipsized(c->layout)) {
		_free_ char *cut = cut_line(c->layout, text, natural_width(c->layout));

		put_line(c->to, font, rgb, x, y, cut);
		return;
	}
	line = pango_layout_get_iter(c->layout);
	do {
		const PangoLayoutLine *l = pango_layout_iter_get_line_readonly(line);
		const double down = pango_layout_iter_get_baseline(line) - first;
		_free_ char *part = mem_strndup(text + l->start_index, (size_t)l->length);

		put_line(c->to, font, rgb, x, y + down / PANGO_SCALE, part);
	} while (pango_layout_iter_next_line(line));
	pango_layout_iter_free(line);
}

const struct canvas_out CANVAS_SVG = {.box = svg_box, .text = svg_text, .stripes = svg_stripes};
