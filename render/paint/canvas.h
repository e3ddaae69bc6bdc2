/*
 * canvas: text and boxes, measured by pango and drawn to what struct canvas_out says: a cairo
 * surface (png, pdf), a file of SVG, nothing (a first pass that only measures), or what a test
 * records. Positions and sizes are in the surface's units (pixels, points); text stands on its
 * baseline. Errors stick to the cairo_t and are asked for at the end: canvas_status().
 */
#ifndef PAINT_CANVAS_H
#define PAINT_CANVAS_H

#include <cairo.h>
#include <pango/pangocairo.h>
#include <stdio.h>

#include "paint/flame.h"
#include "paint/plot.h"

enum canvas_font {
	FONT_TITLE,
	FONT_HEADING,
	FONT_BODY,
	FONT_BOLD,
	FONT_SMALL,
	FONT_MONO,
	FONT_LABEL, /* in the boxes of a flame graph */
	CANVAS_FONTS
};

/* The colours of a theme. Names in boxes of a flame graph are on light colours in both. */
struct canvas_look {
	struct rgb paper, ink, grey, rule, bar, base, warn, label;
};
extern const struct canvas_look CANVAS_LIGHT, CANVAS_DARK;

struct canvas;
struct canvas_line {
	double x0, y0, x1, y1;
};
struct canvas_out {
	void (*box)(struct canvas *, struct rgb, double x, double y, double w, double h);
	/* What stands in the canvas' layout, its first baseline at @y. */
	void (*text)(struct canvas *, enum canvas_font, struct rgb, double x, double y);
	/* The stripes of one box; NULL: it shows none. */
	void (*stripes)(struct canvas *, const struct canvas_line *, size_t n, double width);
};
extern const struct canvas_out CANVAS_CAIRO, CANVAS_NOTHING;

struct canvas {
	cairo_t *cr;	     /* owned */
	PangoLayout *layout; /* owned, one for all texts */
	PangoFontDescription *fonts[CANVAS_FONTS];
	double scale;
	const struct canvas_look *look; /* may be changed, as may the next two */
	const struct canvas_out *out;
	void *to; /* for @out */
};

/* The family, weight (400, 700) and size in points of a font; static. */
const char *canvas_font_family(enum canvas_font);
int canvas_font_weight(enum canvas_font);
double canvas_font_size(enum canvas_font);

/* Draws in light colours to @surface, on which it takes a reference. @scale times the sizes in
 * points of the table of fonts. */
void canvas_init(struct canvas *, cairo_surface_t *surface, double scale);
void canvas_release(struct canvas *);
/* 0, or -ENOMEM or -EIO with a text. */
int canvas_status(const struct canvas *);

void canvas_box(struct canvas *, struct rgb, double x, double y, double w, double h);

/* Text from @x; up to @x; from @x, cut in the middle so that it ends within @width: true where it
 * was cut. */
void canvas_text(struct canvas *, enum canvas_font, struct rgb, double x, double y,
		 const char *text);
void canvas_text_right(struct canvas *, enum canvas_font, struct rgb, double x, double y,
		       const char *text);
bool canvas_text_in(struct canvas *, enum canvas_font, struct rgb, double x, double y, double width,
		    const char *text);
/* A paragraph with its first baseline at @y, wrapped at @width; returns its height. With @draw
 * false only measures. */
double canvas_paragraph(struct canvas *, enum canvas_font, struct rgb, double x, double y,
			double width, const char *text, bool draw);
double canvas_width(struct canvas *, enum canvas_font, const char *text);

/* All boxes of a plot, with their names where there is room. */
void canvas_plot(struct canvas *, const struct plot *);
/* Boxes of other pictures look as those of a plot: the size of names in rows of that height, and a
 * box with its name, which may be NULL. */
double canvas_rows(struct canvas *, double row_height);
void canvas_named_box(struct canvas *, struct rgb, const char *name, const struct plot_rect *,
		      double size);
/* The legend in one line from @x, on baseline @y. */
void canvas_legend(struct canvas *, const struct plot *, double x, double y);

/* cairo's write function for a FILE. */
cairo_status_t canvas_write(void *file, const unsigned char *data, unsigned n);

#endif
